/** The process context of every step. */
export interface Context {
  signal: AbortSignal;
  /** Reports progress, one line at a time. */
  report: (line: string) => void;
}
