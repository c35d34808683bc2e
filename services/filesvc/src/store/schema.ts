import { defineSchema, missingRevisions, parentLockModel } from '@dtplatform/mongo';
import { queueModels } from '@dtplatform/queue';
import { draftModel } from './files/draft.model.js';
import { fileModel, versionModel } from './files/file.model.js';
import { leaseUploads } from './uploads/lease-uploads.js';
import { bucketScanModel } from './orphans/bucket-scan.model.js';
import { installationModel } from './orphans/installations.js';
import { uploadModel } from './uploads/upload.model.js';
import { startWalks, walkModel } from './walks/walk.model.js';

/** What this version needs of its database. Migrations are added at the end and never changed (docs/adr/0013). */
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
    walkModel,
  ],
  migrations: [
    missingRevisions('0001-revisions', [fileModel]),
    { id: '0002-upload-leases', up: (db) => leaseUploads(db) },
    startWalks('0003-walks', ['ancestors', 'previews']),
  ],
});
