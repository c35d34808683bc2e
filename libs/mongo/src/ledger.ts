import { defineModel, id, number, text } from './model.js';

/**
 * Of all that is stored. Raised by a build that changes it without a migration, which is allowed until the first release:
 * then no build reads what one of another baseline has stored.
 */
export const BASELINE = 1;

/** What was done to a database: a migration, or all that one version needs. */
export interface LedgerEntry {
  _id: string;
  /** Of the service that did it. */
  version: string;
  at: Date;
  durationMs: number;
  /** The `BASELINE` of that build. */
  baseline: number;
}

export const migrationModel = defineModel<LedgerEntry>('migrations', {
  _id: id,
  version: text,
  at: Date,
  durationMs: number,
  baseline: number,
});
