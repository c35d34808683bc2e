import type { Filter, Mongo } from '@dtplatform/mongo';
import type { Versions } from '../../oauth/token/versions.store.js';
import { insertNew } from '../../queries/queries.store.js';
import { comparableName } from '../../scim/users/user.js';
import { userModel } from '../../scim/users/user.model.js';
import { appModel } from '../apps/apps.store.js';
import type { Organization } from '../organizations/organizations.js';
import { organizationModel } from '../organizations/organizations.store.js';
import type { ListedApp, ListedOrganization, ListedUser, ListOptions } from './administration.js';

const USER = { _orgId: 1, userName: 1, active: 1, _admin: 1 } as const;
const APP = { _orgId: 1, _name: 1, _trusted: 1, _accessTokenTtlSec: 1 } as const;
const BY_ID = { _id: 1 } as const;

/** Operator actions: no ownership checks. */
export function createAdministrationStore(mongo: Mongo, { change }: Pick<Versions, 'change'>) {
  const users = mongo.model(userModel);
  const apps = mongo.model(appModel);
  const organizations = mongo.model(organizationModel);
  const findUser = async (filter: Filter) => (await users.findOne(filter, USER).lean<ListedUser>()) ?? undefined;
  const ofOrganization = (orgId: string | undefined): Filter => (orgId === undefined ? {} : { _orgId: orgId });
  const changeApp = (_id: string, fields: object, $unset: Record<string, 1> = {}): Promise<boolean> =>
    change('app', _id, async () => {
      const $set = { ...fields, '_metadata._updatedAt': Date.now() };
      return (await apps.updateOne({ _id }, { $set, $unset })).matchedCount === 1;
    });

  return {
    listUsers: ({ orgId, adminsOnly = false, limit }: ListOptions & { adminsOnly?: boolean }): Promise<ListedUser[]> =>
      users
        .find({ ...ofOrganization(orgId), ...(adminsOnly && { _admin: true }) }, USER)
        .sort(BY_ID)
        .limit(limit)
        .lean<ListedUser[]>(),
    listApps: ({ orgId, limit }: ListOptions): Promise<ListedApp[]> =>
      apps.find(ofOrganization(orgId), APP).sort(BY_ID).limit(limit).lean<ListedApp[]>(),
    listOrganizations: ({ limit }: Pick<ListOptions, 'limit'>): Promise<ListedOrganization[]> =>
      organizations.find({}, { _name: 1 }).sort(BY_ID).limit(limit).lean(),
    findUser: async (nameOrId: string): Promise<ListedUser | undefined> =>
      (await findUser({ _userNameKey: comparableName(nameOrId) })) ?? (await findUser({ _id: nameOrId })),
    findApp: async (_id: string): Promise<ListedApp | undefined> =>
      (await apps.findOne({ _id }, APP).lean<ListedApp>()) ?? undefined,
    /** Also ends the previous secret. */
    setSecretHash: (id: string, _secretHash: string): Promise<boolean> =>
      changeApp(id, { _secretHash }, { _previousSecretHash: 1, _previousSecretExpiresAt: 1 }),
    setTrusted: (id: string, _trusted: boolean): Promise<boolean> => changeApp(id, { _trusted }),
    addOrganization: (organization: Organization): Promise<boolean> => insertNew(mongo, organizations, organization),
  };
}

export type AdministrationStore = ReturnType<typeof createAdministrationStore>;
