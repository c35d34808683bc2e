import { randomBytes } from 'node:crypto';
import type { DevJson } from '@dtplatform/stack';
import { createLoadUser, type LoadUser } from '../../callers/index.js';

/** A user in a separate workspace, for calls of operations. */
export type Place = LoadUser & { dev: DevJson };

export const openWorkspace = async (dev: DevJson): Promise<Place> => ({ dev, ...(await createLoadUser(dev)) });

/** One call of the operation, or a few that belong together. @param n the number of the call, from 0 */
export type Work = (n: number) => Promise<void>;

/** An operation whose cost is counted. */
export interface Operation {
  name: string;
  /** The service it belongs to. */
  service: string;
  /** What is counted, if its name does not say it. */
  about?: string;
  /** Numbers of concurrent callers. Default one, and 16. */
  callers?: number[];
  /** Number of calls per round, if not the default. */
  calls?: number;
  /** Creates what the calls need. @param calls their number */
  prepare(place: Place, calls: number): Promise<Work>;
}

/** Writes are spread over this many parents, like those of different users. */
export const PARENTS = 50;

const AT_ONCE = 8;

export const inTurn = <T>(things: readonly T[], n: number): T => things[n % things.length]!;

/** Creates things, a few at a time. */
export async function makeMany<T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let n = 0; n < count; n += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, k) => make(n + k));
    made.push(...(await Promise.all(batch)));
  }
  return made;
}

export const unique = (): string => `counted_${randomBytes(6).toString('hex')}`;
