import { describe, it } from '@jest/globals';
import { expectSamePaths } from '@dtplatform/testing';
import { Draft, File, FileVersion } from '../src/files/file.js';
import { draftModel, fileModel, versionModel } from '../src/files/file.model.js';
import { BucketScan } from '../src/orphans/bucket-scan.js';
import { bucketScanModel } from '../src/orphans/orphans.store.js';
import { Upload } from '../src/uploads/upload.js';
import { uploadModel } from '../src/uploads/upload.model.js';

describe('the models', () => {
  it.each([
    ['files', fileModel, File],
    ['file versions', versionModel, FileVersion],
    ['uploads', uploadModel, Upload],
    ['drafts', draftModel, Draft],
    ['bucket scans', bucketScanModel, BucketScan],
  ])('of %s have the fields of their entities', (_name, model, entity) => expectSamePaths(model, entity));
});
