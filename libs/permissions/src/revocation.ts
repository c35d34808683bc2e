import type { Redis } from 'ioredis';
import { accessKeys } from '@dtplatform/contracts';
import type { Subject } from '@dtplatform/contracts';

/**
 * Invalidates the cached grants of these subjects in every replica of every service, from their next request on. Removes their
 * epochs: the next request of each finds none and sets a new one.
 */
export async function raiseEpochs(redis: Redis, subjects: Subject[]): Promise<void> {
  const keys = new Set(subjects.map(accessKeys.epoch));
  if (keys.size > 0) await redis.del(...keys);
}

/**
 * Revokes, everywhere and at once, all tokens issued so far to a subject or to an app, or all tokens of a grant. A grant has
 * ended for good, so its mark also covers tokens of a process whose clock is ahead.
 * @param ttlSec the remaining lifetime of such tokens at most, in seconds
 */
export async function refuseTokens(
  redis: Redis,
  kind: 'subject' | 'app' | 'grant',
  id: string,
  ttlSec: number,
): Promise<void> {
  const nowSec = Math.floor(Date.now() / 1000);
  const mark = kind === 'grant' ? nowSec + ttlSec : nowSec;
  await redis.set(accessKeys.notBefore(kind, id), String(mark), 'EX', ttlSec);
}
