import { refuseTokens } from '@dtplatform/permissions';
import type { ServiceDeps } from '@dtplatform/runtime';
import type { App } from '../../directory/apps/app.js';

/** Refuse access tokens that were issued until now. @param ttlSec how long they live, unless their app says otherwise */
export const createTokenRefusals = (redis: ServiceDeps['redis']['client'], ttlSec: number) => ({
  ofGrants: async (ids: string[]): Promise<void> => {
    await Promise.all(ids.map((id) => refuseTokens(redis, 'grant', id, ttlSec)));
  },
  ofUser: (id: string) => refuseTokens(redis, 'subject', id, ttlSec),
  /** Also those of the app's users. */
  ofApp: ({ _id, _accessTokenTtlSec = 0 }: Pick<App, '_id' | '_accessTokenTtlSec'>) =>
    refuseTokens(redis, 'app', _id, Math.max(ttlSec, _accessTokenTtlSec)),
});
