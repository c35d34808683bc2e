import { defineSchema } from '@dtplatform/mongo';
import { queueModels } from '@dtplatform/queue';
import { fileSetModel } from './filesets/file-set.model.js';
import { loadModel } from './filestore/load.model.js';

/** The models and migrations of this version. Append migrations, and never change one (docs/adr/0013). */
export const schema = defineSchema({
  models: [...queueModels, loadModel, fileSetModel],
  migrations: [],
});
