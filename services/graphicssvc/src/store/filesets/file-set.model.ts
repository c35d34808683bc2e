import { defineModel, id, metadata, number, text } from '@dtplatform/mongo';
import type { FileSet } from '../../domain/filesets/file-set.js';

export const fileSetModel = defineModel<FileSet>('filesets', {
  _id: id,
  _irn: text,
  _name: text,
  _namespaces: [String],
  _home: text,
  _fileIds: [String],
  _metadata: metadata,
  _revision: number,
});

fileSetModel.schema.index({ _namespaces: 1, _id: 1 }, { name: 'namespace' });
