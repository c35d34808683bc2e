import type { Listing, Paging } from '@dtplatform/contracts';
import { listPage, modelOf, newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { errors } from '../../errors.js';
import { insertNew } from '../../queries/queries.store.js';
import { PermissionAction } from './permission-actions.js';
import type { PermissionActionKey, ShownPermissionAction } from './permission-actions.js';

export const permissionActionModel = modelOf('permission_actions', PermissionAction, {
  indexes: [
    { key: { _svc: 1, _resource: 1 }, name: 'svc_resource', unique: true },
    { key: { _resource: 1, _svc: 1 }, name: 'resource_svc' },
  ],
});

const MAX_RECORDS = 10_000;

export function createPermissionActionStore(mongo: Mongo) {
  const records = mongo.model(permissionActionModel);

  const replace = async ({ _svc, _resource, _actions }: ShownPermissionAction): Promise<boolean> =>
    (await records.updateOne({ _svc, _resource }, { $set: { _actions } })).matchedCount === 1;

  return {
    list: (key: Partial<PermissionActionKey>, paging: Paging): Promise<Listing<ShownPermissionAction>> =>
      listPage<PermissionAction, ShownPermissionAction>(records, key, {
        paging,
        sort: { _svc: 1, _resource: 1 },
        projection: { _id: 0 },
      }),
    /** Upserts the actions of a pair. @throws permissionActionsLimit */
    async put(record: ShownPermissionAction): Promise<void> {
      if (await replace(record)) return;
      if ((await records.estimatedDocumentCount()) >= MAX_RECORDS) throw errors.permissionActionsLimit();
      // A concurrent call may have added the pair.
      if (!(await insertNew(mongo, records, { ...record, _id: newId() }))) await replace(record);
    },
    remove: async ({ _svc, _resource }: PermissionActionKey): Promise<boolean> =>
      (await records.deleteOne({ _svc, _resource })).deletedCount === 1,
  };
}

export type PermissionActionStore = ReturnType<typeof createPermissionActionStore>;
