import { newId } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { createOutbox } from '@dtplatform/queue';
import type { Draft, File, FileVersion } from '../domain/files/file.js';
import { PREVIEW_SIZES, previewKeysOf } from '../domain/previews/preview.js';
import { tailKey } from '../domain/uploads/upload.js';
import type { Upload } from '../domain/uploads/upload.js';
import { negated } from '../domain/files/usage.js';
import type { UsageChange } from '../domain/files/usage.js';
import { contentDiscarded, previewsRequested, usageRecorded } from './messages.js';
import type { Discard } from './messages.js';
import { deltasOf } from './files/file-totals.js';

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

export type Announcements = ReturnType<typeof createAnnouncements>;

/** Messages to other processes, written in the transaction of the change that they report. */
export function createAnnouncements(mongo: Mongo) {
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
