import type { Collection, Db } from 'mongodb';
import type { StoredFile, StoredVersion } from '../domain/file.js';
import type { Draft, Upload } from '../domain/uploads/upload.js';

export type StoredDraft = Draft & { touchedAt: Date };

export interface Collections {
  files: Collection<StoredFile>;
  versions: Collection<StoredVersion>;
  uploads: Collection<Upload>;
  drafts: Collection<StoredDraft>;
}

export const collectionsOf = (db: Db): Collections => ({
  files: db.collection('files'),
  versions: db.collection('file_versions'),
  uploads: db.collection('uploads'),
  drafts: db.collection('upload_drafts'),
});
