/** What is shared by those who wait for it in turns: memory in bytes, or places. */
export interface Shared {
  /** @param holder who takes turns with others. @throws the reason of `signal` once it is aborted */
  reserve(amount: number, holder: string, signal: AbortSignal): Promise<{ release(): void }>;
}
