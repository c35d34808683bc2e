import { defineModel, flag, id, json, metadataWithoutNames, number } from '@dtplatform/mongo';
import type { PathsOf } from '@dtplatform/mongo';
import type { OlderVersion, Version } from '../../domain/versions/version.js';

export const versionPaths: PathsOf<Version> = {
  _id: id,
  _userItemDbId: id,
  _isTip: flag,
  _version: number,
  _userAttributes: json,
  _userData: json,
  _metadata: metadataWithoutNames,
};

/** The versions of items that are no longer their tips. */
export const versionModel = defineModel<OlderVersion>('item_versions', { ...versionPaths, _namespaces: [String] });
versionModel.schema
  .index({ _userItemDbId: 1, _version: -1 }, { name: 'item', unique: true })
  .index({ '_userAttributes.$**': 1 }, { name: 'attributes' });
