import type { VersionStore } from '../../domain/versions/ports.js';
import { createVersionReads } from './version-reads.js';
import { createVersionWrites } from './version-writes.js';

/** Versions of items in MongoDB: the tip inside its item, the older ones in their own collection. */
export const createVersionStore = (deps: Parameters<typeof createVersionWrites>[0]): VersionStore => ({
  ...createVersionReads(deps.mongo),
  ...createVersionWrites(deps),
});
