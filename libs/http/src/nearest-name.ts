import leven from 'leven';

/** Longer ones are compared by their beginning. */
const MAX_LENGTH = 64;

/** The name that differs least from what was sent: in any case one that differs in less than half of its letters. */
export function nearestName(sent: string, known: Iterable<string>): string | undefined {
  const wanted = plain(sent);
  let nearest: string | undefined;
  let least = Infinity;
  for (const name of known) {
    const other = plain(name);
    const distance = leven(wanted, other);
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
