import { BSON, modelOf } from '@dtplatform/mongo';
import { errors } from '../errors.js';
import { OlderVersion } from './version.js';
import type { Version } from './version.js';

/** The versions of items that are no longer their tips. */
export const versionModel = modelOf('item_versions', OlderVersion, {
  indexes: [
    { key: { _userItemDbId: 1, _version: -1 }, name: 'item', unique: true },
    { key: { '_userAttributes.$**': 1 }, name: 'attributes' },
  ],
});

/** An item with its tip, and the messages of a write, must stay below the database's 16 MiB for one document. */
const MAX_VERSION_BYTES = 8 * 1024 * 1024;

/** Size of a version in bytes (docs/contract.md, "Metrics of items"). */
export const bytesOfVersion = (version: Version): number => BSON.calculateObjectSize(version);

/** @throws 413 for a version, or a related item, that is larger than the database allows */
export function checkSize(document: object): void {
  if (BSON.calculateObjectSize(document) > MAX_VERSION_BYTES) throw errors.versionTooLarge();
}
