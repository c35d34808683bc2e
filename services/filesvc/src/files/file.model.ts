import { ifPresent, modelOf } from '@dtplatform/mongo';
import { Draft, File, FileVersion } from './file.js';

export const NAME_INDEX = 'name';
const PREVIEW_ID = 'internal.previews._id';

export const fileModel = modelOf('files', File, {
  // Lists are sorted by id. MongoDB indexes only one array per index: `_namespaces`, `_parents` or `_tags`.
  indexes: [
    { key: { 'internal.nameKeys': 1 }, name: NAME_INDEX, unique: true },
    { key: { _namespaces: 1, _id: 1 }, name: 'namespace' },
    { key: { 'internal.rootOf': 1, _id: 1 }, name: 'root_of_namespace' },
    { key: { _parents: 1, _id: 1 }, name: 'folder' },
    { key: { 'internal.ancestors': 1, _id: 1 }, name: 'below_folder' },
    { key: { _tags: 1, _id: 1 }, name: 'tag' },
  ],
});

export const versionModel = modelOf('file_versions', FileVersion, {
  indexes: [
    { key: { _fileId: 1, _version: 1 }, name: 'version', unique: true },
    // Finds the version of a preview.
    { key: { [PREVIEW_ID]: 1 }, name: 'preview', ...ifPresent(PREVIEW_ID) },
  ],
});

export const draftModel = modelOf('upload_drafts', Draft, { indexes: [{ key: { touchedAt: 1 }, name: 'abandoned' }] });
