/** Does not repeat a check once it has passed; concurrent calls share one attempt. */
export function once(check: () => Promise<unknown>): () => Promise<void> {
  let attempt: Promise<void> | undefined;
  const begin = async () => {
    try {
      await check();
    } catch (error) {
      attempt = undefined;
      throw error;
    }
  };
  return () => (attempt ??= begin());
}
