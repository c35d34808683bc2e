import { defineSchema, missingRevisions } from '@dtplatform/mongo';
import { permissionModel } from './permissions/permission.model.js';

/** What this version needs of its database. Migrations are appended and never changed (docs/adr/0013). */
export const schema = defineSchema({
  models: [permissionModel],
  migrations: [missingRevisions('0001-revisions', [permissionModel])],
});
