import type { Redis } from 'ioredis';
import { accessKeys } from '@dtplatform/contracts';
import type { Subject } from '@dtplatform/contracts';
import { newEpoch } from './access-state.js';

/** Makes every replica of every service forget what it knows of these subjects, from their next request on. */
export async function raiseEpochs(redis: Redis, subjects: Subject[]): Promise<void> {
  const keys = new Set(subjects.map(accessKeys.epoch));
  if (keys.size > 0) await redis.mset([...keys].flatMap((key) => [key, newEpoch()]));
}

/**
 * Refuses, everywhere and at once, the tokens that were issued until now to a subject, an app or a grant.
 * @param ttlSec how long such tokens could still live, in seconds
 */
export async function refuseTokens(
  redis: Redis,
  kind: 'subject' | 'app' | 'grant',
  id: string,
  ttlSec: number,
): Promise<void> {
  await redis.set(accessKeys.notBefore(kind, id), String(Math.floor(Date.now() / 1000)), 'EX', ttlSec);
}
