import type { ModelDefinition } from './model.js';
import type { Migration } from './schema.js';

/** A migration that gives revision 0 to the documents from before there were revisions. */
export const missingRevisions = (id: string, models: readonly ModelDefinition[]): Migration => ({
  id,
  async up(db) {
    for (const { collection } of models) {
      await db.collection(collection).updateMany({ _revision: { $exists: false } }, { $set: { _revision: 0 } });
    }
  },
});
