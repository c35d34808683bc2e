import type { PermissionEntry } from '@dtplatform/contracts';
import { defineModel, id, markGrants, not, text } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { insertNew, isInserted } from '../../queries/queries.store.js';
import { createUserCounts } from '../../scim/users/user-counts.store.js';
import { comparableName } from '../../scim/users/user.js';
import type { User } from '../../scim/users/user.js';
import { userModel } from '../../scim/users/user.model.js';
import type { App } from '../apps/app.js';
import { appModel } from '../apps/apps.store.js';
import { organizationModel } from '../organizations/organizations.store.js';

/** Holds the id of the first organization, so that concurrent first starts agree on one. */
interface BootstrapMark {
  _id: string;
  orgId: string;
}

export const bootstrapMarkModel = defineModel<BootstrapMark>('bootstrap', { _id: id, orgId: text });

const FIRST = 'first-organization';

/** Inserts only what is missing; each `add` returns whether it inserted the record. */
export function createBootstrapStore(mongo: Mongo) {
  const apps = mongo.model(appModel);
  const users = mongo.model(userModel);
  const organizations = mongo.model(organizationModel);
  const userCounts = createUserCounts(mongo);
  const marks = mongo.model(bootstrapMarkModel);

  const addOrganization = (_id: string, _name: string) => {
    const now = Date.now();
    return insertNew(mongo, organizations, { _id, _name, _metadata: { _createdAt: now, _updatedAt: now } });
  };

  return {
    /** The id of the platform's own organization, created with `id` if there is none. */
    async firstOrganization(id: string): Promise<string> {
      await insertNew(mongo, marks, { _id: FIRST, orgId: id });
      const { orgId } = (await marks.findById(FIRST).lean())!;
      await addOrganization(orgId, 'Platform');
      return orgId;
    },
    addOrganization,
    hasUser: async (userName: string): Promise<boolean> =>
      (await users.exists({ _userNameKey: comparableName(userName) })) !== null,
    addUser: (user: User): Promise<boolean> =>
      isInserted(
        mongo.transaction(async (session) => {
          await users.insertMany([user], { session });
          await userCounts.add(user._orgId, 1, session);
        }),
      ),
    /** @param grants written once objectmodelsvc accepts them */
    addApp: (app: App, grants: PermissionEntry[]): Promise<boolean> =>
      isInserted(
        mongo.transaction(async (session) => {
          await apps.insertMany([app], { session });
          await markGrants(mongo, grants, session);
        }),
      ),
    /** Of a trusted app, which only a bootstrap or an administrator registers. */
    async setRedirectUris({ _id, _redirectUris }: App): Promise<void> {
      await apps.updateOne({ _id, _trusted: true, _redirectUris: not(_redirectUris) }, { $set: { _redirectUris } });
    },
    async setSecret({ _id, _secretHash }: App): Promise<void> {
      const $unset = { _previousSecretHash: 1, _previousSecretExpiresAt: 1 } as const;
      await apps.updateOne({ _id, _secretHash: not(_secretHash) }, { $set: { _secretHash }, $unset });
    },
  };
}

export type BootstrapStore = ReturnType<typeof createBootstrapStore>;
