import type { FileVersion } from '../files/file.js';
import type { Walk } from './walk.js';

export interface WalkStore {
  find(id: Walk['_id']): Promise<Walk | undefined>;
  save(walk: Walk): Promise<void>;
}

/** Versions from before there were previews. */
export interface PreviewBackfill {
  /** The next versions by id, older than a time. */
  next(after: string | undefined, olderThan: Date, limit: number): Promise<FileVersion[]>;
  /** Requests the previews of versions. Repeating it while they are not made has no effect. @returns ids of the messages */
  request(versions: FileVersion[]): Promise<string[]>;
  /** How many of these messages were not processed yet. */
  countPending(messageIds: string[]): Promise<number>;
}

export interface AncestorRepair {
  /**
   * Compares the folders above the next files and folders with those of their parents, and stores them again if they differ.
   * @returns the last one by id, undefined when there are no more; and how many were changed
   */
  step(after: string | undefined, limit: number): Promise<{ last?: string; changed: number }>;
}
