import { randomUUID } from 'node:crypto';
import { defineModel, id, modelOf, text } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { BucketScan, SCAN_ID } from './bucket-scan.js';

export const bucketScanModel = modelOf('bucket_scans', BucketScan);

export function createScanStore(mongo: Mongo) {
  const scans = mongo.model(bucketScanModel);
  return {
    find: async (): Promise<BucketScan | undefined> => (await scans.findById(SCAN_ID).lean()) ?? undefined,
    save: async (scan: BucketScan): Promise<void> =>
      void (await scans.replaceOne({ _id: SCAN_ID }, scan, { upsert: true })),
  };
}

export type ScanStore = ReturnType<typeof createScanStore>;

const ONLY = 'this';

/** The one document holds the id that this database has in common with its bucket. */
export const installationModel = defineModel<{ _id: string; bucketId: string }>('installations', {
  _id: id,
  bucketId: text,
});

export function createInstallations(mongo: Mongo) {
  const installations = mongo.model(installationModel);
  return {
    /** The id of this installation; made once and kept in its database. */
    async id(): Promise<string> {
      const known = await installations.findById(ONLY).lean();
      if (known) return known.bucketId;
      await installations.updateOne({ _id: ONLY }, { $setOnInsert: { bucketId: randomUUID() } }, { upsert: true });
      return (await installations.findById(ONLY).orFail().lean()).bucketId;
    },
  };
}

export type Installations = ReturnType<typeof createInstallations>;
