/** Longer ones are compared by their beginning. */
const MAX_LENGTH = 64;

/** The name that differs least from what was sent: in any case one that differs in less than half of its letters. */
export function nearestName(sent: string, known: Iterable<string>): string | undefined {
  const wanted = plain(sent);
  let nearest: string | undefined;
  let least = Infinity;
  for (const name of known) {
    const other = plain(name);
    const distance = editDistance(wanted, other);
    if (distance >= least || distance > Math.max(wanted.length, other.length) / 2) continue;
    [nearest, least] = [name, distance];
  }
  return nearest;
}

/** Letter case, `_` and brackets are the usual mistakes. */
const plain = (name: string) =>
  name
    .slice(0, MAX_LENGTH)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]/gu, '');

/** How many letters must be inserted, removed or replaced (Levenshtein). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[other.length]!;
}
