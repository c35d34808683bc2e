import { describe, it } from '@jest/globals';
import { expectSamePaths } from '@dtplatform/testing';
import { Draft, File, FileVersion } from '../src/domain/files/file.js';
import { BucketScan } from '../src/domain/orphans/bucket-scan.js';
import { Upload } from '../src/domain/uploads/upload.js';
import { draftModel } from '../src/store/files/draft.model.js';
import { fileModel, versionModel } from '../src/store/files/file.model.js';
import { bucketScanModel } from '../src/store/orphans/bucket-scan.model.js';
import { uploadModel } from '../src/store/uploads/upload.model.js';

describe('the models', () => {
  it.each([
    ['files', fileModel, File],
    ['file versions', versionModel, FileVersion],
    ['uploads', uploadModel, Upload],
    ['drafts', draftModel, Draft],
    ['bucket scans', bucketScanModel, BucketScan],
  ])('of %s have the fields of their entities', (_name, model, entity) => expectSamePaths(model, entity));
});
