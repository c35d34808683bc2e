import { randomBytes } from 'node:crypto';
import type { DevJson } from '@dtplatform/stack';
import type { Caller } from '@dtplatform/stack/client';

/** Where operations are called: a user in a workspace of its own. */
export interface Place {
  dev: DevJson;
  id: string;
  credentials: { email: string; password: string };
  caller: Caller;
  namespace: string;
}

/** A call of it, or the few that belong together. @param n the number of the call, from 0 */
export type Work = (n: number) => Promise<void>;

/** Something that callers do, whose cost is counted. */
export interface Operation {
  name: string;
  /** Which service it is of. */
  service: string;
  /** What is counted, if its name does not say it. */
  about?: string;
  /** How many callers at once; one, and 16, by default. */
  callers?: number[];
  /** How many calls each time; as many as usual by default. */
  calls?: number;
  /** Creates what the calls need. @param calls how many there will be */
  prepare(place: Place, calls: number): Promise<Work>;
}

/** Writes are spread over so many parents, as those of different users are. */
export const PARENTS = 50;

const AT_ONCE = 8;

/** One of several things, in turn. */
export const inTurn = <T>(things: readonly T[], n: number): T => things[n % things.length]!;

/** Makes so many things, a few at a time. */
export async function makeMany<T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let n = 0; n < count; n += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, k) => make(n + k));
    made.push(...(await Promise.all(batch)));
  }
  return made;
}

export const unique = (): string => `counted_${randomBytes(6).toString('hex')}`;
