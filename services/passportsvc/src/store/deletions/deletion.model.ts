import { defineModel, id, number, text } from '@dtplatform/mongo';
import type { Deletion } from '../../domain/deletions/deletion.js';

const modelOf = (collection: string) => {
  const model = defineModel<Deletion>(collection, {
    _id: id,
    kind: text,
    namespaces: [String],
    rounds: number,
    dueAt: number,
  });
  model.schema.index({ dueAt: 1 }, { name: 'due' });
  return model;
};

export const deletionModel = modelOf('deletions');
/** Of users. The previous version finishes all that it finds in `deletions`, and does nothing about users. */
export const userDeletionModel = modelOf('user_deletions');
/** Of permission profiles. The previous version would close the namespaces of one that it finds in the other collections. */
export const profileDeletionModel = modelOf('profile_deletions');
