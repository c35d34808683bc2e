import { oneOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { draftModel, versionModel } from '../files/file.model.js';
import { uploadModel } from '../uploads/upload.model.js';
import type { Stored } from './bucket-scan.js';

/** The id of the version, upload or draft that a key belongs to (`versionKey`, `tailKey`). */
const OWNER = /^(?:versions\/([0-9a-f]{24})(?:\.\d+)?|tails\/([0-9a-f]{24})\/\d+)$/;
/** The id of a preview (`previewKey`). */
const PREVIEW = /^previews\/([0-9a-f]{24})$/;

type IsNamed = (one: Stored) => boolean;

/** Which records name what is in the bucket. Keys of another form are taken as named: somebody else stored them. */
export function createReferences(mongo: Mongo) {
  const [uploads, drafts, versions] = [mongo.model(uploadModel), mongo.model(draftModel), mongo.model(versionModel)];

  async function namedContent(stored: readonly Stored[]): Promise<IsNamed> {
    const owners = idsIn(stored, ownerOf);
    if (owners.length === 0) return () => false;
    const among = { _id: oneOf(owners) };
    // Versions last: an upload ends in the transaction that makes its version, so one of the two is always there.
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
    /** Those of which no file version, upload or draft knows. */
    withoutRecord,
    /** Whether one of them has a record. */
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
