import { BSON } from '@dtplatform/mongo';
import type { Version } from '../domain/versions/version.js';
import { errors } from '../errors.js';

/** An item with its tip, and the messages of a write, must stay below the database's 16 MiB for one document. */
const MAX_VERSION_BYTES = 8 * 1024 * 1024;

/** Size of a version in bytes (docs/contract.md, "Metrics of items"). */
export const bytesOfVersion = (version: Version): number => BSON.calculateObjectSize(version);

/** @throws 413 for a version, or a related item, that is larger than the database allows */
export function checkSize(document: object): void {
  if (BSON.calculateObjectSize(document) > MAX_VERSION_BYTES) throw errors.versionTooLarge();
}
