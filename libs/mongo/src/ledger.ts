import { defineModel, id, number, text } from './model.js';

/** What was done to a database: a migration, or all that one version needs. */
export interface LedgerEntry {
  _id: string;
  /** Of the service that did it. */
  version: string;
  at: Date;
  durationMs: number;
}

export const migrationModel = defineModel<LedgerEntry>('migrations', {
  _id: id,
  version: text,
  at: Date,
  durationMs: number,
});
