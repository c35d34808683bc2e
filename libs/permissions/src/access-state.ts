import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import DataLoader from 'dataloader';
import { accessKeys } from '@dtplatform/contracts';
import type { Subject } from '@dtplatform/contracts';
import type { Principal } from '@dtplatform/jwt';

/** Reads keys from Redis; null for a key that does not exist. */
export type StateReader = (keys: string[]) => Promise<(string | null)[]>;

/**
 * A reader of which one MGET is under way at a time: reads that are asked for meanwhile share the next one, so under load MGETs
 * become larger, not more frequent. A read begins after it was asked for, so it sees every revocation before that. The keys
 * of a request are one load: with a load for each key a read took four times as long.
 */
export function createStateReader(redis: Redis): StateReader {
  let previous: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<string[], (string | null)[]>(
    async (requests) => {
      const keys = [...new Set(requests.flat())];
      const reading = redis.mget(keys);
      previous = reading.catch(() => undefined);
      const values = await reading;
      const byKey = new Map(keys.map((key, place) => [key, values[place]]));
      return requests.map((wanted) => wanted.map((key) => byKey.get(key) ?? null));
    },
    { cache: false, batchScheduleFn: (read) => void previous.then(() => setImmediate(read)) },
  );
  return (keys) => loader.load(keys);
}

/** A value that no epoch had before. Random, so that it does not repeat even when Redis has lost its data. */
const newEpoch = () => randomBytes(12).toString('base64url');

/** The next request after it sets a new epoch, and loads its grants again. */
const EPOCH_TTL_SEC = 3600;

/**
 * The epoch under a key; a new one when it is missing. It is missing after a change of what the subject may do, when it has
 * expired, and when Redis has lost its data: it must not look like one under which a cache was filled.
 */
export async function ensureEpoch(redis: Redis, key: string): Promise<string> {
  const fresh = newEpoch();
  if ((await redis.set(key, fresh, 'EX', EPOCH_TTL_SEC, 'NX')) === 'OK') return fresh;
  return (await redis.get(key)) ?? fresh;
}

/**
 * Invalidates the cached grants of these subjects in every replica of every service, from their next request on.
 * Removes their epochs: the next request of each finds none and sets a new one.
 */
export async function raiseEpochs(redis: Redis, subjects: Subject[]): Promise<void> {
  const keys = new Set(subjects.map(accessKeys.epoch));
  if (keys.size > 0) await redis.del(...keys);
}

/**
 * How far the clocks of two processes may be apart, in seconds. The issue time in a token and the time in a mark come from
 * different replicas: if the one that issued the token was ahead, the token looks newer than the mark that should reject it.
 */
const MAX_CLOCK_SKEW_SEC = 5;
/**
 * How much longer a mark lasts than the tokens: expired ones are accepted for another minute, clocks differ, and some were
 * being issued at that moment.
 */
const MARK_MARGIN_SEC = 90;

/**
 * Revokes, everywhere and at once, all tokens issued so far to a subject or an app, or all tokens of a grant, which has
 * ended. New tokens of a subject or an app are accepted again a few seconds later.
 * @param ttlSec the remaining lifetime of such tokens at most, in seconds
 */
export async function rejectTokens(
  redis: Redis,
  kind: 'subject' | 'app' | 'grant',
  id: string,
  ttlSec: number,
): Promise<void> {
  const nowSec = Math.floor(Date.now() / 1000);
  await redis.set(accessKeys.notBefore(kind, id), String(nowSec), 'EX', ttlSec + MARK_MARGIN_SEC);
}

/**
 * Accepts new tokens of a subject whose tokens were rejected at once, not a few seconds later. Those that were issued before
 * this second remain rejected. Of those issued in it, only a mark of their grant rejects them: the caller has set these marks.
 */
export async function acceptNewTokens(redis: Redis, id: string): Promise<void> {
  const mark = Math.floor(Date.now() / 1000) - MAX_CLOCK_SKEW_SEC - 1;
  await redis.set(accessKeys.notBefore('subject', id), String(mark), 'KEEPTTL', 'XX');
}

/** The keys of the marks that would revoke a token; that of its grant is the last one. */
export function revocationKeys({ id, appId, actorId, grantId }: Principal): string[] {
  const keys = [accessKeys.notBefore('subject', id), accessKeys.notBefore('app', appId)];
  if (actorId !== undefined && actorId !== appId) keys.push(accessKeys.notBefore('app', actorId));
  if (grantId !== undefined) keys.push(accessKeys.notBefore('grant', grantId));
  return keys;
}

/**
 * Whether one of the marks revokes a token. A grant never begins again, so its mark rejects every token. A subject or an app
 * may go on: its mark rejects what was issued before, and, lest a fast clock saves a token, what was issued shortly after.
 * @param marks the values under `revocationKeys`
 */
export function isRevoked({ issuedAtSec, grantId }: Principal, marks: readonly (string | null)[]): boolean {
  return marks.some((mark, index) => {
    if (mark === null) return false;
    const isOfGrant = grantId !== undefined && index === marks.length - 1;
    return isOfGrant || issuedAtSec <= Number(mark) + MAX_CLOCK_SKEW_SEC;
  });
}
