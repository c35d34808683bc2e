/** The first entries of a list, without fetching more pages than necessary. */
export async function first<T>(limit: number, entries: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const entry of entries) {
    found.push(entry);
    if (found.length >= limit) break;
  }
  return found;
}
