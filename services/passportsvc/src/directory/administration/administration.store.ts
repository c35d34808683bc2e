import type { Filter, Mongo } from '@dtplatform/mongo';
import type { Versions } from '../../oauth/token/authorization.js';
import { insertNew } from '../../queries/queries.store.js';
import { comparableName } from '../../scim/users/user.js';
import { userModel } from '../../scim/users/user.model.js';
import { appModel } from '../apps/apps.store.js';
import { organizationModel } from '../organizations/organizations.store.js';
import type { AdministrationStore, ListedApp, ListedUser } from './administration.js';

const USER = { _orgId: 1, userName: 1, active: 1, _admin: 1 } as const;
const APP = { _orgId: 1, _name: 1, _trusted: 1, _accessTokenTtlSec: 1 } as const;
const BY_ID = { _id: 1 } as const;

export function createAdministrationStore(mongo: Mongo, { change }: Pick<Versions, 'change'>): AdministrationStore {
  const users = mongo.model(userModel);
  const apps = mongo.model(appModel);
  const organizations = mongo.model(organizationModel);
  const findUser = async (filter: Filter) => (await users.findOne(filter, USER).lean<ListedUser>()) ?? undefined;
  const ofOrganization = (orgId: string | undefined): Filter => (orgId === undefined ? {} : { _orgId: orgId });
  const changeApp = (_id: string, fields: object): Promise<boolean> =>
    change('app', _id, async () => {
      const $set = { ...fields, '_metadata._updatedAt': Date.now() };
      return (await apps.updateOne({ _id }, { $set })).matchedCount === 1;
    });

  return {
    listUsers: ({ orgId, adminsOnly = false, limit }) =>
      users
        .find({ ...ofOrganization(orgId), ...(adminsOnly && { _admin: true }) }, USER)
        .sort(BY_ID)
        .limit(limit)
        .lean<ListedUser[]>(),
    listApps: ({ orgId, limit }) => apps.find(ofOrganization(orgId), APP).sort(BY_ID).limit(limit).lean<ListedApp[]>(),
    listOrganizations: ({ limit }) => organizations.find({}, { _name: 1 }).sort(BY_ID).limit(limit).lean(),
    findUser: async (nameOrId) =>
      (await findUser({ _userNameKey: comparableName(nameOrId) })) ?? (await findUser({ _id: nameOrId })),
    findApp: async (_id) => (await apps.findOne({ _id }, APP).lean<ListedApp>()) ?? undefined,
    setSecretHash: (id, _secretHash) => changeApp(id, { _secretHash }),
    setTrusted: (id, _trusted) => changeApp(id, { _trusted }),
    addOrganization: (organization) => insertNew(mongo, organizations, organization),
  };
}
