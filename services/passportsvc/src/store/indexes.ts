import type { IndexDescription } from 'mongodb';
import type { IndexPlan } from '@dtplatform/mongo';

const expiry: IndexDescription = { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 };

/** The collections of this service and their indexes. */
export const indexes: IndexPlan = {
  organizations: [],
  bootstrap: [],
  apps: [
    { name: 'short_name', key: { _shortName: 1 }, unique: true },
    {
      name: 'grants_pending',
      key: { _grantsPending: 1 },
      partialFilterExpression: { _grantsPending: true },
    },
  ],
  users: [
    { name: 'user_name', key: { _userNameKey: 1 }, unique: true },
    { name: 'emails', key: { _emailKeys: 1 } },
  ],
  workspaces: [
    { name: 'namespaces', key: { _namespaces: 1, _id: 1 } },
    { name: 'app', key: { _appId: 1 } },
  ],
  signing_keys: [],
  authorizations: [{ name: 'code', key: { 'code.hash': 1 }, unique: true }, expiry],
  oauth_sessions: [{ name: 'uid', key: { uid: 1 } }, expiry],
  oauth_interactions: [expiry],
};
