import { z } from 'zod';
import { usageRecorded as usage } from '@dtplatform/contracts';
import { newId } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { createOutbox, defineCatalogue, defineMessage, taskPayload } from '@dtplatform/queue';
import type { Delta, Totals } from '@dtplatform/queue';
import type { Draft, File, FileVersion } from '../files/file.js';
import { negated } from '../files/usage.js';
import type { UsageChange } from '../files/usage.js';
import { PREVIEW_SIZES, previewKeysOf } from '../previews/preview.js';
import { tailKey } from '../uploads/upload.js';
import type { Upload } from '../uploads/upload.js';

/** To metricsvc. */
const usageRecorded = defineMessage(usage);

/** Content that is no longer referenced. */
export const Discard = z.object({
  objects: z.array(z.string()),
  multiparts: z.array(z.object({ key: z.string(), multipartId: z.string() })),
});
export type Discard = z.infer<typeof Discard>;

/** To this service's own worker. */
export const contentQueue = defineCatalogue('filesvc.content', {
  'content.discard.v1': { payload: Discard, attempts: 8 },
});
const contentDiscarded = contentQueue.messages['content.discard.v1'];

/** The previews of a version that are to be made. */
const MakePreviews = z.object({
  versionId: z.string(),
  /** One for each size, so that every attempt writes the same objects. */
  previewIds: z.array(z.string()).length(PREVIEW_SIZES.length),
});

export const previewQueue = defineCatalogue('filesvc.previews', {
  'previews.make.v1': { payload: MakePreviews, attempts: 8 },
});
const previewsRequested = previewQueue.messages['previews.make.v1'];

/** Removals of files and folders that are too many for one transaction. To this service's own worker. */
export const removalQueue = defineCatalogue('filesvc.removals', {
  'files.remove.v1': { payload: taskPayload, attempts: 12 },
});
export const removalAccepted = removalQueue.messages['files.remove.v1'];

/** A change of zero, to carry the deltas of folders and of files without content. */
const NOTHING: UsageChange = { _metric: 'dtplatform.filesvc.FileCount', _dimensions: {}, _amount: 0 };

/** As many objects as S3 deletes in one call. */
const MAX_DISCARDED = 1000;

/** What a change of a file adds to the metrics of its namespaces. */
interface Report {
  file: File;
  usage: UsageChange[];
  /** The change in the number of files or folders. */
  records: -1 | 0 | 1;
}

export type DomainEvents = ReturnType<typeof createDomainEvents>;

/** Messages to other processes, written in the transaction of the change that they report. */
export function createDomainEvents(mongo: Mongo) {
  const outbox = createOutbox(mongo);

  return {
    /** Reports what changes of files add, in one call for all that a transaction writes. */
    async usage(session: ClientSession, reports: Report[]): Promise<void> {
      const at = Date.now();
      const counted = reports.filter(({ usage, records }) => usage.length > 0 || records !== 0);
      const messages = counted.flatMap(({ file, usage, records }) =>
        file._namespaces.map((namespace) => ({
          payload: { _namespace: namespace, _at: at, _changes: usage.length > 0 ? usage : [NOTHING] },
          deltas: records === 0 ? undefined : deltasOf(file, namespace, records),
        })),
      );
      await outbox.putMany(session, usageRecorded, messages);
    },

    /** Reports that a file or folder has left namespaces. @param usage what it counted in each of them */
    async move(session: ClientSession, before: File, after: File, usage: UsageChange[]): Promise<void> {
      const at = Date.now();
      const messages = before._namespaces.map((namespace) => {
        const stays = after._namespaces.includes(namespace);
        const _changes = stays || usage.length === 0 ? [NOTHING] : negated(usage);
        const added = stays ? deltasOf(after, namespace, 1) : [];
        return {
          payload: { _namespace: namespace, _at: at, _changes },
          deltas: [...deltasOf(before, namespace, -1), ...added],
        };
      });
      await outbox.putMany(session, usageRecorded, messages);
    },

    async requestPreviews(session: ClientSession, versions: FileVersion[]): Promise<void> {
      const messages = versions.map(({ _id }) => {
        const previewIds = PREVIEW_SIZES.map(() => newId());
        return { payload: { versionId: _id, previewIds } };
      });
      await outbox.putMany(session, previewsRequested, messages);
    },

    async discard(session: ClientSession, discarded: Discard): Promise<void> {
      if (discarded.objects.length + discarded.multiparts.length === 0) return;
      await outbox.put(session, contentDiscarded, discarded);
    },
  };
}

/** What several have stored, in messages of a bounded size. */
export function inBatches(discarded: Discard[]): Discard[] {
  const objects = discarded.flatMap((each) => each.objects);
  const batches: Discard[] = [{ objects: [], multiparts: discarded.flatMap((each) => each.multiparts) }];
  for (let at = 0; at < objects.length; at += MAX_DISCARDED) {
    batches.push({ objects: objects.slice(at, at + MAX_DISCARDED), multiparts: [] });
  }
  return batches;
}

export const contentOfVersions = (versions: FileVersion[]): Discard => ({
  objects: versions.flatMap((version) => [version.internal.key, ...previewKeysOf(version)]),
  multiparts: [],
});

/** Everything that an upload has stored, for an upload that is not completed. */
export const contentOfUpload = (upload: Upload): Discard => ({
  objects: [upload.key, ...tailsOf(upload)],
  multiparts: multipartOf(upload),
});

/** What a completed upload has stored besides its object. */
export const remainsOf = (upload: Upload): Discard => ({
  objects: tailsOf(upload),
  // After a failed part, the content may have been stored whole: then its multipart upload is left over.
  multiparts: upload.isCompleting ? [] : multipartOf(upload),
});

export const contentOfDraft = ({ key, multipartId }: Draft): Discard => ({
  objects: [key],
  multiparts: multipartOf({ key, multipartId }),
});

const tailsOf = ({ _id, tail, looseTails }: Upload) =>
  [...looseTails, ...(tail ? [tail.fence] : [])].map((fence) => tailKey(_id, fence));

const multipartOf = ({ key, multipartId }: Pick<Upload, 'key' | 'multipartId'>) =>
  multipartId === undefined ? [] : [{ key, multipartId }];

const ALL = 'file';
/** Files and folders in several namespaces; they count in each of them. */
const SHARED = 'file.shared';

/** How one file or folder more (or less) changes the totals of one of its namespaces. */
function deltasOf({ _namespaces }: Pick<File, '_namespaces'>, namespace: string, amount: number): Delta[] {
  const keys = _namespaces.length > 1 ? [ALL, SHARED] : [ALL];
  return keys.map((key) => ({ key, namespace, amount }));
}

/**
 * The number of files and folders in all of the namespaces; undefined if some are in several, since a sum would be
 * wrong.
 */
export async function totalOf(totals: Totals, namespaces: string[]): Promise<number | undefined> {
  if (namespaces.length > 1 && (await totals.read(SHARED, namespaces)) !== 0) return undefined;
  return totals.read(ALL, namespaces);
}
