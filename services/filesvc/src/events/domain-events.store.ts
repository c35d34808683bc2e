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

const usageRecorded = defineMessage(usage);

export const Discard = z.object({
  objects: z.array(z.string()),
  multiparts: z.array(z.object({ key: z.string(), multipartId: z.string() })),
});
export type Discard = z.infer<typeof Discard>;

export const contentQueue = defineCatalogue('filesvc.content', {
  'content.discard.v1': { payload: Discard, attempts: 8 },
});
const contentDiscarded = contentQueue.messages['content.discard.v1'];

const MakePreviews = z.object({
  versionId: z.string(),
  /** One per size, so that every attempt writes the same objects. */
  previewIds: z.array(z.string()).length(PREVIEW_SIZES.length),
});

export const previewQueue = defineCatalogue('filesvc.previews', {
  'previews.make.v1': { payload: MakePreviews, attempts: 8 },
});
const previewsRequested = previewQueue.messages['previews.make.v1'];

/** Removals too large for one transaction. */
export const removalQueue = defineCatalogue('filesvc.removals', {
  'files.remove.v1': { payload: taskPayload, attempts: 12 },
});
export const removalAccepted = removalQueue.messages['files.remove.v1'];

/** A change of zero that carries the deltas of folders and files without content. */
const NOTHING: UsageChange = { _metric: 'dtplatform.filesvc.FileCount', _dimensions: {}, _amount: 0 };

/** The limit of S3 for one call. */
const MAX_DISCARDED = 1000;

interface Report {
  file: File;
  usage: UsageChange[];
  records: -1 | 0 | 1;
}

export type DomainEvents = ReturnType<typeof createDomainEvents>;

/** Writes messages in the transaction of the change that they report. */
export function createDomainEvents(mongo: Mongo) {
  const outbox = createOutbox(mongo);

  return {
    /** Call once per transaction, with all of its changes. */
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

    /**
     * Reports that a file or folder left namespaces.
     * @param usage its usage in each of them
     */
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

/** Everything that an uncompleted upload has stored. */
export const contentOfUpload = (upload: Upload): Discard => ({
  objects: [upload.key, ...tailsOf(upload)],
  multiparts: multipartOf(upload),
});

/** Everything but the object of a completed upload. */
export const remainsOf = (upload: Upload): Discard => ({
  objects: tailsOf(upload),
  // After a failed part, the content may have been stored as a single object, which leaves the multipart upload over.
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
/** Counts files and folders of several namespaces, once in each. */
const SHARED = 'file.shared';

function deltasOf({ _namespaces }: Pick<File, '_namespaces'>, namespace: string, amount: number): Delta[] {
  const keys = _namespaces.length > 1 ? [ALL, SHARED] : [ALL];
  return keys.map((key) => ({ key, namespace, amount }));
}

/** Undefined if some files are in several of the namespaces, which a sum would count twice. */
export async function totalOf(totals: Totals, namespaces: string[]): Promise<number | undefined> {
  if (namespaces.length > 1 && (await totals.read(SHARED, namespaces)) !== 0) return undefined;
  return totals.read(ALL, namespaces);
}
