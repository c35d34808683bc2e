import { BSON, modelOf } from '@dtplatform/mongo';
import { errors } from '../errors.js';
import { OlderVersion } from './version.js';
import type { Version } from './version.js';

export const versionModel = modelOf('item_versions', OlderVersion, {
  indexes: [
    { key: { _userItemDbId: 1, _version: -1 }, name: 'item', unique: true },
    { key: { '_userAttributes.$**': 1 }, name: 'attributes' },
  ],
});

/** An item with its tip, and the messages of a write, must fit into MongoDB's 16 MiB per document. */
const MAX_VERSION_BYTES = 8 * 1024 * 1024;

export const bytesOfVersion = (version: Version): number => BSON.calculateObjectSize(version);

/** @throws 413 if a version or related item exceeds MongoDB's limit */
export function checkSize(document: object): void {
  if (BSON.calculateObjectSize(document) > MAX_VERSION_BYTES) throw errors.versionTooLarge();
}
