/** A check that has passed is not made again; while it is made, all wait for the same attempt. */
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
