/** Like `Map.groupBy` of newer Node.js versions. */
export function groupBy<K, T>(entries: Iterable<T>, keyOf: (entry: T) => K): Map<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return groups;
}
