import { randomUUID } from 'node:crypto';
import { defineModel, id, modelOf, oneOf, text } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { draftModel, versionModel } from '../files/file.model.js';
import { uploadModel } from '../uploads/upload.model.js';
import { BucketScan, SCAN_ID } from './bucket-scan.js';
import type { Stored } from './bucket-scan.js';

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

/** A single document with the id that this database shares with its bucket. */
export const installationModel = defineModel<{ _id: string; bucketId: string }>('installations', {
  _id: id,
  bucketId: text,
});

export function createInstallations(mongo: Mongo) {
  const installations = mongo.model(installationModel);
  return {
    async id(): Promise<string> {
      const known = await installations.findById(ONLY).lean();
      if (known) return known.bucketId;
      await installations.updateOne({ _id: ONLY }, { $setOnInsert: { bucketId: randomUUID() } }, { upsert: true });
      return (await installations.findById(ONLY).orFail().lean()).bucketId;
    },
  };
}

export type Installations = ReturnType<typeof createInstallations>;

/** The version, upload or draft of a key (`versionKey`, `tailKey`). */
const OWNER = /^(?:versions\/([0-9a-f]{24})(?:\.\d+)?|tails\/([0-9a-f]{24})\/\d+)$/;
const PREVIEW = /^previews\/([0-9a-f]{24})$/;

type IsNamed = (one: Stored) => boolean;

/** Looks up records of objects. Unknown keys count as recorded: somebody else stored them. */
export function createReferences(mongo: Mongo) {
  const [uploads, drafts, versions] = [mongo.model(uploadModel), mongo.model(draftModel), mongo.model(versionModel)];

  async function namedContent(stored: readonly Stored[]): Promise<IsNamed> {
    const owners = idsIn(stored, ownerOf);
    if (owners.length === 0) return () => false;
    const among = { _id: oneOf(owners) };
    // Versions last: the transaction that ends an upload creates its version, so one of the two always exists.
    const streaming = [
      ...(await uploads.find(among, { _id: 1 }).lean()),
      ...(await drafts.find(among, { _id: 1 }).lean()),
    ];
    const inProgress = new Set(streaming.map(({ _id }) => _id));
    const complete = await versions.find(among, { internal: 1 }).lean();
    const keys = new Set(complete.map(({ internal }) => internal.key));
    return (one) => inProgress.has(ownerOf(one)!) || (one.multipartId === undefined && keys.has(one.key));
  }

  async function namedPreviews(stored: readonly Stored[]): Promise<IsNamed> {
    const ids = idsIn(stored, previewOf);
    if (ids.length === 0) return () => false;
    const found = await versions.find({ 'internal.previews._id': oneOf(ids) }, { internal: 1 }).lean();
    const named = new Set(found.flatMap(({ internal: { previews = [] } }) => previews.map(({ _id }) => _id)));
    return (one) => named.has(previewOf(one)!);
  }

  async function withoutRecord(stored: readonly Stored[]): Promise<Stored[]> {
    const [isContentNamed, isPreviewNamed] = [await namedContent(stored), await namedPreviews(stored)];
    return stored.filter(isOurs).filter((one) => !(ownerOf(one) ? isContentNamed(one) : isPreviewNamed(one)));
  }

  return {
    /** Those without a version, upload, draft or preview. */
    withoutRecord,
    knowsAny: async (stored: readonly Stored[]): Promise<boolean> =>
      (await withoutRecord(stored)).length < stored.filter(isOurs).length,
  };
}

export type References = ReturnType<typeof createReferences>;

const previewOf = ({ key }: Stored): string | undefined => PREVIEW.exec(key)?.[1];

function ownerOf({ key }: Stored): string | undefined {
  const [, version, upload] = OWNER.exec(key) ?? [];
  return version ?? upload;
}

const isOurs = (one: Stored): boolean => ownerOf(one) !== undefined || previewOf(one) !== undefined;

const idsIn = (stored: readonly Stored[], idOf: (one: Stored) => string | undefined): string[] => [
  ...new Set(stored.flatMap((one) => idOf(one) ?? [])),
];
