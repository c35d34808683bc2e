import { defineModel, id, number, text } from '@dtplatform/mongo';
import type { Deletion } from '../../domain/deletions/deletion.js';

export const deletionModel = defineModel<Deletion>('deletions', {
  _id: id,
  kind: text,
  namespaces: [String],
  rounds: number,
  dueAt: number,
});
deletionModel.schema.index({ kind: 1, dueAt: 1 }, { name: 'due_of_kind' });
