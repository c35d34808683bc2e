import type { ClientSession, Db } from 'mongodb';
import { createOutbox } from '@dtplatform/queue';
import type { Delta } from '@dtplatform/queue';
import type { StoredFile, StoredVersion } from '../domain/file.js';
import { tailKey } from '../domain/object-keys.js';
import type { Upload } from '../domain/uploads/upload.js';
import type { UsageChange } from '../domain/usage.js';
import { contentDiscarded, usageRecorded } from './messages.js';
import type { Discard } from './messages.js';
import { deltasOf } from './file-totals.js';
import type { StoredDraft } from './collections.js';

/** A change that adds nothing: what carries the deltas of folders and of files without content. */
const NOTHING: UsageChange = { _metric: 'dtplatform.filesvc.FileCount', _dimensions: {}, _amount: 0 };

export type Announcements = ReturnType<typeof createAnnouncements>;

/** What others must hear of, in the transaction of the write that it tells of. */
export function createAnnouncements(db: Db) {
  const outbox = createOutbox(db);

  return {
    /** @param records by how many files or folders there are more (or less) */
    async usage(session: ClientSession, file: StoredFile, changes: UsageChange[], records: -1 | 0 | 1): Promise<void> {
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

export const contentOfVersions = (versions: StoredVersion[]): Discard => ({
  objects: versions.map(({ internal }) => internal.key),
  multiparts: [],
});

/** All that an upload that does not end well has stored. */
export const contentOfUpload = (upload: Upload): Discard => ({
  objects: [upload.key, ...tailsOf(upload)],
  multiparts: multipartOf(upload),
});

/** What is left of an upload beside the object that it became. */
export const remainsOf = (upload: Upload): Discard => ({
  objects: tailsOf(upload),
  // Content that came whole at last, after a part had failed, is not made of parts.
  multiparts: upload.isCompleting ? [] : multipartOf(upload),
});

export const contentOfDraft = ({ key, multipartId }: StoredDraft): Discard => ({
  objects: [key],
  multiparts: multipartOf({ key, multipartId }),
});

const tailsOf = ({ _id, tail, looseTails }: Upload) =>
  [...looseTails, ...(tail ? [tail.fence] : [])].map((fence) => tailKey(_id, fence));

const multipartOf = ({ key, multipartId }: Pick<Upload, 'key' | 'multipartId'>) =>
  multipartId === undefined ? [] : [{ key, multipartId }];
