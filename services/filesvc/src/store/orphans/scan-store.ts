import type { Mongo } from '@dtplatform/mongo';
import { SCAN_ID } from '../../domain/orphans/bucket-scan.js';
import type { ScanStore } from '../../domain/orphans/ports.js';
import { bucketScanModel } from './bucket-scan.model.js';

export function createScanStore(mongo: Mongo): ScanStore {
  const scans = mongo.model(bucketScanModel);
  return {
    find: async () => (await scans.findById(SCAN_ID).lean()) ?? undefined,
    save: async (scan) => void (await scans.replaceOne({ _id: SCAN_ID }, scan, { upsert: true })),
  };
}
