import { randomUUID } from 'node:crypto';
import { defineModel, id, modelOf, text } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { BucketScan, SCAN_ID } from './bucket-scan.js';
import type { Installations, ScanStore } from './bucket-scan.js';

export const bucketScanModel = modelOf('bucket_scans', BucketScan);

export function createScanStore(mongo: Mongo): ScanStore {
  const scans = mongo.model(bucketScanModel);
  return {
    find: async () => (await scans.findById(SCAN_ID).lean()) ?? undefined,
    save: async (scan) => void (await scans.replaceOne({ _id: SCAN_ID }, scan, { upsert: true })),
  };
}

const ONLY = 'this';

/** The one document holds the id that this database has in common with its bucket. */
export const installationModel = defineModel<{ _id: string; bucketId: string }>('installations', {
  _id: id,
  bucketId: text,
});

export function createInstallations(mongo: Mongo): Installations {
  const installations = mongo.model(installationModel);
  return {
    async id() {
      const known = await installations.findById(ONLY).lean();
      if (known) return known.bucketId;
      await installations.updateOne({ _id: ONLY }, { $setOnInsert: { bucketId: randomUUID() } }, { upsert: true });
      return (await installations.findById(ONLY).orFail().lean()).bucketId;
    },
  };
}
