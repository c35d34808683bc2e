import { defineSchema, parentLockModel } from '@dtplatform/mongo';
import { queueModels } from '@dtplatform/queue';
import { draftModel } from './files/draft.model.js';
import { fileModel, versionModel } from './files/file.model.js';
import { bucketScanModel } from './orphans/bucket-scan.model.js';
import { installationModel } from './orphans/installations.js';
import { uploadModel } from './uploads/upload.model.js';

/** The models and migrations of this version. Append migrations, and never change one (docs/adr/0013). */
export const schema = defineSchema({
  models: [
    ...queueModels,
    parentLockModel,
    fileModel,
    versionModel,
    uploadModel,
    draftModel,
    bucketScanModel,
    installationModel,
  ],
  migrations: [],
});
