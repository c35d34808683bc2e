import { defineModel } from '@dtplatform/mongo';
import type { FileVersion } from '../../domain/files/file.js';
import { content, versionPaths } from './file.model.js';

export const versionModel = defineModel<FileVersion>('file_versions', { ...versionPaths, internal: content });
versionModel.schema.index({ _fileId: 1, _version: 1 }, { name: 'version', unique: true });
