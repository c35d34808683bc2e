/** Renames keys, at every depth, that differ from a known name only in case. */
export function canonicalNames(value: unknown, names: readonly string[]): unknown {
  const known = new Map(names.map((name) => [name.toLowerCase(), name]));
  const visit = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(visit);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, entry]) => [known.get(key.toLowerCase()) ?? key, visit(entry)]),
    );
  };
  return visit(value);
}
