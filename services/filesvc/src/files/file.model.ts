import { defineModel, id, ifPresent, metadata, number, optionalArray, part, text } from '@dtplatform/mongo';
import type { Draft, File, FileVersion, Preview, ShownFile } from './file.js';

/** Where the bytes of a version are, and what they are. */
const content = { key: text, contentType: text, contentEncoding: String };

/** A version as callers see it. */
const shownVersion = {
  _id: id,
  _fileId: text,
  _version: number,
  _fileSize: number,
  _metadata: metadata,
};

export const fileModel = defineModel<File>('files', {
  _id: id,
  _name: text,
  _type: text,
  _irn: text,
  _status: text,
  _namespaces: [String],
  _parents: [String],
  _tags: [String],
  _tipId: String,
  _tipVersion: Number,
  _nextVersion: Number,
  _fileVersion: part<NonNullable<ShownFile['_fileVersion']>>(shownVersion),
  _previews: [part<File['_previews'][number]>({ _id: id, _width: number, _height: number, _fileVersionId: text })],
  _uploadMeta: part<NonNullable<File['_uploadMeta']>>({ _size: number, _checksum: text, _uploadId: text }),
  _metadata: metadata,
  _revision: number,
  internal: part<File['internal']>({
    home: text,
    name: text,
    nameKeys: [String],
    ancestors: [String],
    rootOf: [String],
    content: part<NonNullable<File['internal']['content']>>(content),
    tipSince: Number,
    uploadId: String,
    previewsMade: Number,
    removingUntil: Number,
  }),
});

export const NAME_INDEX = 'name';
// Lists are ordered by id. An index can contain only one of `_namespaces`, `_parents` and `_tags`, since all are arrays.
fileModel.schema
  .index({ 'internal.nameKeys': 1 }, { name: NAME_INDEX, unique: true })
  .index({ _namespaces: 1, _id: 1 }, { name: 'namespace' })
  .index({ 'internal.rootOf': 1, _id: 1 }, { name: 'root_of_namespace' })
  .index({ _parents: 1, _id: 1 }, { name: 'folder' })
  .index({ 'internal.ancestors': 1, _id: 1 }, { name: 'below_folder' })
  .index({ _tags: 1, _id: 1 }, { name: 'tag' });

const PREVIEW_ID = 'internal.previews._id';

export const versionModel = defineModel<FileVersion>('file_versions', {
  ...shownVersion,
  internal: part<FileVersion['internal']>({
    ...content,
    previews: optionalArray(part<Preview>({ _id: id, _width: number, _height: number, size: number })),
  }),
});
versionModel.schema
  .index({ _fileId: 1, _version: 1 }, { name: 'version', unique: true })
  // Which version a preview in the bucket belongs to.
  .index({ [PREVIEW_ID]: 1 }, { name: 'preview', ...ifPresent(PREVIEW_ID) });

export const draftModel = defineModel<Draft>('upload_drafts', {
  _id: id,
  key: text,
  multipartId: String,
  touchedAt: Date,
});
draftModel.schema.index({ touchedAt: 1 }, { name: 'abandoned' });
