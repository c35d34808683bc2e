import type { Redis } from 'ioredis';
import { accessKeys } from '@dtplatform/contracts';
import type { Subject } from '@dtplatform/contracts';
import type { Principal } from '@dtplatform/jwt';

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
 * different replicas: if the one that issued the token was ahead, the token looks newer than the mark that should refuse it.
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
export async function refuseTokens(
  redis: Redis,
  kind: 'subject' | 'app' | 'grant',
  id: string,
  ttlSec: number,
): Promise<void> {
  const nowSec = Math.floor(Date.now() / 1000);
  await redis.set(accessKeys.notBefore(kind, id), String(nowSec), 'EX', ttlSec + MARK_MARGIN_SEC);
}

/**
 * Accepts new tokens of a subject whose tokens were refused at once, not a few seconds later. Those that were issued before
 * this second remain refused. Of those issued in it, only a mark of their grant refuses them: the caller has set these marks.
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
 * Whether one of the marks revokes a token. A grant never begins again, so its mark refuses every token. A subject or an app
 * may go on: its mark refuses what was issued before, and, lest a fast clock saves a token, what was issued shortly after.
 * @param marks the values under `revocationKeys`
 */
export function isRevoked({ issuedAtSec, grantId }: Principal, marks: readonly (string | null)[]): boolean {
  return marks.some((mark, index) => {
    if (mark === null) return false;
    const isOfGrant = grantId !== undefined && index === marks.length - 1;
    return isOfGrant || issuedAtSec <= Number(mark) + MAX_CLOCK_SKEW_SEC;
  });
}
