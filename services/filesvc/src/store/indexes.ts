import type { IndexPlan } from '@dtplatform/mongo';
import { queueIndexes } from '@dtplatform/queue';

/** Lists are ordered by id. An index can contain only one of `_namespaces`, `_parents` and `_tags`, since all are arrays. */
export const indexes: IndexPlan = {
  ...queueIndexes,
  files: [
    { name: 'name', key: { 'internal.nameKeys': 1 }, unique: true },
    { name: 'namespace', key: { _namespaces: 1, _id: 1 } },
    { name: 'root_of_namespace', key: { 'internal.rootOf': 1, _id: 1 } },
    { name: 'folder', key: { _parents: 1, _id: 1 } },
    { name: 'below_folder', key: { 'internal.ancestors': 1, _id: 1 } },
    { name: 'tag', key: { _tags: 1, _id: 1 } },
  ],
  file_versions: [{ name: 'version', key: { _fileId: 1, _version: 1 }, unique: true }],
  uploads: [
    {
      name: 'writer',
      key: { leaseUntil: 1, touchedAt: 1 },
      partialFilterExpression: { leaseUntil: { $exists: true } },
    },
    { name: 'abandoned', key: { touchedAt: 1 } },
  ],
  upload_drafts: [{ name: 'abandoned', key: { touchedAt: 1 } }],
};
