import { z } from 'zod';
import { modelOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { acceptNewTokens, restoreMarks, setMark, tokenMark } from '@dtplatform/permissions';
import type { TokenMark } from '@dtplatform/permissions';
import type { ServiceDeps } from '@dtplatform/runtime';
import type { App } from '../../directory/apps/app.js';

/** A mark in Redis, which may lose it. */
const TokenRejection = z.object({
  _id: z.string(),
  kind: z.enum(['subject', 'app', 'grant']),
  id: z.string(),
  notBefore: z.number(),
  expiresAt: z.date(),
});

export const tokenRejectionModel = modelOf('token_rejections', TokenRejection, {
  indexes: [{ key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }],
});

const RESTORED_AT_ONCE = 500;

interface Deps {
  mongo: Mongo;
  redis: ServiceDeps['redis'];
  /** Default lifetime of tokens. */
  ttlSec: number;
}

/** Reject access tokens that were issued so far. */
export function createTokenRejections({ mongo, redis, ttlSec }: Deps) {
  const rejections = mongo.collection(tokenRejectionModel);
  let isRestored = false;
  redis.onConnected(() => (isRestored = false));

  async function reject(kind: TokenMark['kind'], ids: string[], maxTtlSec = ttlSec): Promise<void> {
    if (ids.length === 0) return;
    const marks = ids.map((id) => tokenMark(kind, id, maxTtlSec));
    await rejections.bulkWrite(
      marks.map((mark) => ({
        updateOne: { filter: { _id: idOf(mark) }, update: { $set: mark }, upsert: true },
      })),
      { ordered: false },
    );
    await Promise.all(marks.map((mark) => setMark(redis, mark)));
  }

  return {
    ofGrants: (ids: string[]) => reject('grant', ids),
    ofUser: (id: string) => reject('subject', [id]),
    /** Covers the tokens of the app's users, too. */
    ofApp: ({ _id, _accessTokenTtlSec = 0 }: Pick<App, '_id' | '_accessTokenTtlSec'>) =>
      reject('app', [_id], Math.max(ttlSec, _accessTokenTtlSec)),
    acceptNewTokensOf: async (userId: string): Promise<void> => {
      const notBefore = await acceptNewTokens(redis, userId);
      await rejections.updateOne({ _id: idOf({ kind: 'subject', id: userId }) }, { $set: { notBefore } });
    },
    /**
     * Sets all marks again after Redis was connected: a failover or a restart may have lost the latest ones.
     * @returns their number
     */
    async restore(): Promise<number> {
      if (isRestored) return 0;
      isRestored = true;
      try {
        return await restoreAll();
      } catch (error) {
        isRestored = false;
        throw error;
      }
    },
  };

  async function restoreAll(): Promise<number> {
    let marks: TokenMark[] = [];
    let count = 0;
    const write = async () => {
      await restoreMarks(redis, marks);
      count += marks.length;
      marks = [];
    };
    for await (const mark of rejections.find({ expiresAt: { $gt: new Date() } })) {
      marks.push(mark);
      if (marks.length === RESTORED_AT_ONCE) await write();
    }
    await write();
    return count;
  }
}

const idOf = ({ kind, id }: Pick<TokenMark, 'kind' | 'id'>) => `${kind}:${id}`;
