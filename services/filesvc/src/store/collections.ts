import type { Collection, Db } from 'mongodb';
import type { Draft, File, FileVersion } from '../domain/files/file.js';
import type { Upload } from '../domain/uploads/upload.js';

export interface Collections {
  files: Collection<File>;
  versions: Collection<FileVersion>;
  uploads: Collection<Upload>;
  drafts: Collection<Draft>;
}

export const collectionsOf = (db: Db): Collections => ({
  files: db.collection('files'),
  versions: db.collection('file_versions'),
  uploads: db.collection('uploads'),
  drafts: db.collection('upload_drafts'),
});
