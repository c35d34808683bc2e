/** What every step needs to know of the program that runs it. */
export interface Context {
  signal: AbortSignal;
  /** Reports progress, a line at a time. */
  report: (line: string) => void;
}
