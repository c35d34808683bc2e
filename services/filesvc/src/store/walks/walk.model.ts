import { defineModel, id, number } from '@dtplatform/mongo';
import type { Migration } from '@dtplatform/mongo';
import type { Walk } from '../../domain/walks/walk.js';

export const walkModel = defineModel<Walk>('walks', {
  _id: id,
  notBefore: { type: Date, required: true },
  after: String,
  steppedAt: Date,
  sent: { type: [String], default: undefined },
  changed: number,
  finishedAt: Date,
});

/** Longer than a rolling upgrade takes. */
const UPGRADE_MS = 3_600_000;

/** Lets the worker walk through all files and versions once, after the upgrade. */
export const startWalks = (migrationId: string, walks: Walk['_id'][]): Migration => ({
  id: migrationId,
  async up(db) {
    const $setOnInsert = { notBefore: new Date(Date.now() + UPGRADE_MS), changed: 0 };
    for (const _id of walks) {
      await db.collection<Walk>(walkModel.collection).updateOne({ _id }, { $setOnInsert }, { upsert: true });
    }
  },
});
