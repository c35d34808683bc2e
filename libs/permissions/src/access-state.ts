import { randomBytes } from 'node:crypto';
import DataLoader from 'dataloader';
import { accessKeys } from '@dtplatform/contracts';
import type { Subject } from '@dtplatform/contracts';
import type { Principal } from '@dtplatform/jwt';
import { deleteKeys, readKeys } from '@dtplatform/redis';
import type { RedisConnection } from '@dtplatform/redis';

type Redis = Pick<RedisConnection, 'client' | 'durably' | 'serverOf'>;

/** Reads keys from Redis; null for a missing key. */
type StateReader = (keys: string[]) => Promise<(string | null)[]>;

/**
 * Batches reads into one MGET (one per slot in a cluster) at a time: reads requested during one share the next, so under
 * load MGETs become larger, not more frequent. A read starts after it was requested and therefore sees every earlier
 * revocation. The keys of a request are one entry: one entry per key was four times slower.
 */
function createStateReader({ client }: Redis): StateReader {
  let previous: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<string[], (string | null)[]>(
    async (requests) => {
      const keys = [...new Set(requests.flat())];
      const reading = readKeys(client, keys);
      previous = reading.catch(() => undefined);
      const values = await reading;
      const byKey = new Map(keys.map((key, place) => [key, values[place]]));
      return requests.map((wanted) => wanted.map((key) => byKey.get(key) ?? null));
    },
    { cache: false, batchScheduleFn: (read) => void previous.then(() => setImmediate(read)) },
  );
  return (keys) => loader.load(keys);
}

/** Random, so that no epoch repeats even after Redis lost its data. */
const newEpoch = () => randomBytes(12).toString('base64url');

/** After it expires, the next request sets a new epoch and loads its grants again. */
const EPOCH_TTL_SEC = 3600;

export interface Epochs {
  /** Reads an epoch, undefined if there is none, and more keys in the same round trip. */
  read(key: string, moreKeys?: string[]): Promise<{ epoch: string | undefined; more: (string | null)[] }>;
  /**
   * Reads an epoch, or sets a new one if the key is missing: after a permission change, after it expired, or after
   * Redis lost its data.
   */
  ensure(key: string): Promise<string>;
}

/**
 * Epochs under which caches are filled. They are valid only for one connection to one server: after a failover or a
 * restart, Redis may return an epoch whose removal it has lost.
 */
export function createEpochs(redis: Redis): Epochs {
  const readState = createStateReader(redis);
  const { client, serverOf } = redis;

  /** @param before the server before the command; a different one now may not be the one that has responded */
  const epochOf = (key: string, before: string, value: string) =>
    serverOf(key) === before ? `${before} ${value}` : newEpoch();

  return {
    async read(key, moreKeys = []) {
      const before = serverOf(key);
      const [value, ...more] = await readState([key, ...moreKeys]);
      return { epoch: value ? epochOf(key, before, value) : undefined, more };
    },
    async ensure(key) {
      const before = serverOf(key);
      const fresh = newEpoch();
      const isSet = (await client.set(key, fresh, 'EX', EPOCH_TTL_SEC, 'NX')) === 'OK';
      return epochOf(key, before, isSet ? fresh : ((await client.get(key)) ?? fresh));
    },
  };
}

/**
 * Invalidates the cached grants of subjects in every replica of every service, from their next request on, by deleting
 * their epochs.
 */
export async function raiseEpochs(redis: Redis, subjects: Subject[]): Promise<void> {
  const keys = [...new Set(subjects.map(accessKeys.epoch))];
  if (keys.length > 0) await redis.durably((client) => deleteKeys(client, keys));
}

/**
 * Maximum clock skew between processes, in seconds. A token and a mark get their times from different replicas: if the
 * issuer's clock is ahead, the token looks newer than the mark that must reject it.
 */
const MAX_CLOCK_SKEW_SEC = 5;
/**
 * How much longer than the tokens a mark lasts: expired tokens are accepted for another minute, clocks differ, and some
 * tokens are being issued at that moment.
 */
const MARK_MARGIN_SEC = 90;

/** Rejects tokens until it expires. */
export interface TokenMark {
  kind: 'subject' | 'app' | 'grant';
  id: string;
  /** In seconds. */
  notBefore: number;
  expiresAt: Date;
}

/**
 * Marks all tokens issued so far to a subject or an app, or all tokens of a grant that ended. New tokens of a subject or
 * an app are accepted again a few seconds later.
 * @param ttlSec maximum remaining lifetime of such tokens, in seconds
 */
export function tokenMark(kind: TokenMark['kind'], id: string, ttlSec: number): TokenMark {
  const now = Date.now();
  const expiresAt = new Date(now + (ttlSec + MARK_MARGIN_SEC) * 1000);
  return { kind, id, notBefore: Math.floor(now / 1000), expiresAt };
}

const secondsUntil = (time: Date) => Math.ceil((time.getTime() - Date.now()) / 1000);

/** Revokes the marked tokens in all services at once. */
export async function setMark(redis: Redis, { kind, id, notBefore, expiresAt }: TokenMark): Promise<void> {
  const key = accessKeys.notBefore(kind, id);
  await redis.durably((client) => client.set(key, String(notBefore), 'EX', secondsUntil(expiresAt)));
}

/** Revokes tokens: see `tokenMark`. */
export const rejectTokens = (redis: Redis, ...[kind, id, ttlSec]: Parameters<typeof tokenMark>): Promise<void> =>
  setMark(redis, tokenMark(kind, id, ttlSec));

/** Sets a mark unless there is a newer one. */
const RESTORE = `
if tonumber(redis.call('GET', KEYS[1]) or -1) < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
end`;

/** Sets marks again that Redis may have lost. */
export async function restoreMarks({ client }: Redis, marks: readonly TokenMark[]): Promise<void> {
  const restore = async ({ kind, id, notBefore, expiresAt }: TokenMark) => {
    const keptSec = secondsUntil(expiresAt);
    if (keptSec > 0) await client.eval(RESTORE, 1, accessKeys.notBefore(kind, id), notBefore, keptSec);
  };
  await Promise.all(marks.map(restore));
}

/**
 * Accepts new tokens of a subject immediately after a revocation. Tokens issued before this second stay rejected. Those
 * issued within it are rejected only by marks of their grants, which the caller has set.
 * @returns the subject's mark, in seconds
 */
export async function acceptNewTokens({ client }: Redis, id: string): Promise<number> {
  const mark = Math.floor(Date.now() / 1000) - MAX_CLOCK_SKEW_SEC - 1;
  await client.set(accessKeys.notBefore('subject', id), String(mark), 'KEEPTTL', 'XX');
  return mark;
}

/** The keys of all marks that may revoke a token. The one of its grant comes last. */
export function revocationKeys({ id, appId, actorId, grantId }: Principal): string[] {
  const keys = [accessKeys.notBefore('subject', id), accessKeys.notBefore('app', appId)];
  if (actorId !== undefined && actorId !== appId) keys.push(accessKeys.notBefore('app', actorId));
  if (grantId !== undefined) keys.push(accessKeys.notBefore('grant', grantId));
  return keys;
}

/**
 * Whether one of the marks revokes a token. Grants never restart, so a grant's mark rejects every token. The mark of a
 * subject or an app rejects tokens issued before it and, because of clock skew, shortly after.
 * @param marks the values of `revocationKeys`
 */
export function isRevoked({ issuedAtSec, grantId }: Principal, marks: readonly (string | null)[]): boolean {
  return marks.some((mark, index) => {
    if (mark === null) return false;
    const isOfGrant = grantId !== undefined && index === marks.length - 1;
    return isOfGrant || issuedAtSec <= Number(mark) + MAX_CLOCK_SKEW_SEC;
  });
}
