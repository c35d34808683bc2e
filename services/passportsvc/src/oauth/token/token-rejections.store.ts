import { rejectTokens } from '@dtplatform/permissions';
import type { ServiceDeps } from '@dtplatform/runtime';
import type { App } from '../../directory/apps/app.js';

/** Reject access tokens that were issued so far. @param ttlSec default lifetime of tokens */
export const createTokenRejections = (redis: ServiceDeps['redis'], ttlSec: number) => ({
  ofGrants: async (ids: string[]): Promise<void> => {
    await Promise.all(ids.map((id) => rejectTokens(redis, 'grant', id, ttlSec)));
  },
  ofUser: (id: string) => rejectTokens(redis, 'subject', id, ttlSec),
  /** Covers the tokens of the app's users, too. */
  ofApp: ({ _id, _accessTokenTtlSec = 0 }: Pick<App, '_id' | '_accessTokenTtlSec'>) =>
    rejectTokens(redis, 'app', _id, Math.max(ttlSec, _accessTokenTtlSec)),
});
