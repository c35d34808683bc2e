import type { UpdateLog } from './update-log.js';

/** The writes of items, which the stores of items and versions record. */
export interface UpdateLogStore {
  /** Oldest first. @param versionId the writes of this version alone */
  list(itemId: string, versionId: string | undefined): Promise<UpdateLog[]>;
}
