import type { Collection, Db, Document, OptionalUnlessRequiredId } from 'mongodb';
import { isDuplicateKey } from '@dtplatform/mongo';
import type { App } from '../../domain/apps/app.js';
import type { BootstrapStore } from '../../domain/bootstrap/ports.js';
import type { Organization } from '../../domain/organizations/organization.js';
import { nameKey } from '../../domain/scim/user.js';
import type { User } from '../../domain/scim/user.js';

/** Id of the mark that holds the first organization, so that concurrent first starts agree on one. */
const FIRST = 'first-organization';

export function createBootstrapStore(db: Db): BootstrapStore {
  const apps = db.collection<App>('apps');
  const users = db.collection<User>('users');
  const organizations = db.collection<Organization>('organizations');
  const marks = db.collection<{ _id: string; orgId: string }>('bootstrap');

  const addOrganization = (_id: string, _name: string) => {
    const now = Date.now();
    return insertNew(organizations, { _id, _name, _metadata: { _createdAt: now, _updatedAt: now } });
  };

  return {
    async firstOrganization(id) {
      await insertNew(marks, { _id: FIRST, orgId: id });
      const { orgId } = (await marks.findOne({ _id: FIRST }))!;
      await addOrganization(orgId, 'Platform');
      return orgId;
    },
    addOrganization,
    hasUser: async (userName) => (await users.countDocuments({ _userNameKey: nameKey(userName) }, { limit: 1 })) > 0,
    addUser: (user) => insertNew(users, user),
    addApp: (app) => insertNew(apps, app),
    setSecret: async ({ _id, _secretHash }) => void (await apps.updateOne({ _id }, { $set: { _secretHash } })),
  };
}

async function insertNew<D extends Document>(
  collection: Collection<D>,
  document: OptionalUnlessRequiredId<D>,
): Promise<boolean> {
  try {
    await collection.insertOne(document, { ignoreUndefined: true });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
