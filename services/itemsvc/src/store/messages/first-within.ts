interface Sized {
  _id: string;
  bytes: number;
}

/** The ids of the first ones that have at most so many bytes together; of one at least. */
export function firstWithin(all: Sized[], maxBytes: number): string[] {
  let total = 0;
  const end = all.findIndex(({ bytes }) => (total += bytes) > maxBytes);
  return all.slice(0, end === -1 ? all.length : Math.max(1, end)).map(({ _id }) => _id);
}
