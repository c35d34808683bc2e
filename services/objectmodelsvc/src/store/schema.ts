import { defineSchema } from '@dtplatform/mongo';
import type { ModelDefinition } from '@dtplatform/mongo';
import { permissionModel } from './permissions/permission.model.js';

/** The models and migrations of this version. Append migrations, never change one (docs/adr/0013). */
export const schema = defineSchema({
  models: [permissionModel as ModelDefinition],
  migrations: [
    {
      id: '0001-revisions',
      up: async (db) => {
        const isMissing = { _revision: { $exists: false } };
        await db.collection(permissionModel.collection).updateMany(isMissing, { $set: { _revision: 0 } });
      },
    },
  ],
});
