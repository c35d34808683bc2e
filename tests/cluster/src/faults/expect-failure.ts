/** Rejects unless the work fails with a message that contains the text. */
export async function expectFailure(what: string, text: string, work: () => Promise<unknown>): Promise<void> {
  const error = await work().then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );
  if (error === undefined) throw new Error(`${what} did not fail`);
  if (!error.message.includes(text)) throw error;
}
