import { defineModel, id, number, part } from '@dtplatform/mongo';
import type { BucketScan } from '../../domain/orphans/bucket-scan.js';

export const bucketScanModel = defineModel<BucketScan>('bucket_scans', {
  _id: id,
  stage: number,
  after: part<NonNullable<BucketScan['after']>>({ key: { type: String, required: true }, multipartId: String }),
  startedAt: { type: Date, required: true },
  finishedAt: Date,
  examined: number,
  removed: number,
  failed: number,
  removedEver: number,
  isForeign: Boolean,
  stopped: part<NonNullable<BucketScan['stopped']>>({ old: number, orphaned: number }),
});
