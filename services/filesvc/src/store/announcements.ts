import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { createOutbox } from '@dtplatform/queue';
import type { Delta } from '@dtplatform/queue';
import type { Draft, File, FileVersion } from '../domain/files/file.js';
import { tailKey } from '../domain/uploads/upload.js';
import type { Upload } from '../domain/uploads/upload.js';
import type { UsageChange } from '../domain/files/usage.js';
import { contentDiscarded, usageRecorded } from './messages.js';
import type { Discard } from './messages.js';
import { deltasOf } from './files/file-totals.js';

/** A change of zero, to carry the deltas of folders and of files without content. */
const NOTHING: UsageChange = { _metric: 'dtplatform.filesvc.FileCount', _dimensions: {}, _amount: 0 };

export type Announcements = ReturnType<typeof createAnnouncements>;

/** Messages to other processes, written in the transaction of the change that they report. */
export function createAnnouncements(mongo: Mongo) {
  const outbox = createOutbox(mongo);

  return {
    /** @param records the change in the number of files or folders */
    async usage(session: ClientSession, file: File, changes: UsageChange[], records: -1 | 0 | 1): Promise<void> {
      if (changes.length === 0 && records === 0) return;
      const at = Date.now();
      const messages = file._namespaces.map((namespace) => ({
        payload: { _namespace: namespace, _at: at, _changes: changes.length > 0 ? changes : [NOTHING] },
        deltas: records === 0 ? undefined : (deltasOf(file, namespace, records) satisfies Delta[]),
      }));
      await outbox.putMany(session, usageRecorded, messages);
    },

    async discard(session: ClientSession, discarded: Discard): Promise<void> {
      if (discarded.objects.length + discarded.multiparts.length === 0) return;
      await outbox.put(session, contentDiscarded, discarded);
    },
  };
}

export const contentOfVersions = (versions: FileVersion[]): Discard => ({
  objects: versions.map(({ internal }) => internal.key),
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
