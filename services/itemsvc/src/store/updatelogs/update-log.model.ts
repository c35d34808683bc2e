import { defineModel, id, number, text } from '@dtplatform/mongo';
import type { LoggedWrite } from '../../domain/updatelogs/update-log.js';

/** The latest writes of each item. */
export const updateLogModel = defineModel<LoggedWrite>('item_update_logs', {
  _id: id,
  _itemId: id,
  _versionId: String,
  _itemRevision: number,
  _updatedBy: text,
  _updatedAt: number,
});
updateLogModel.schema.index({ _itemId: 1, _itemRevision: 1 }, { name: 'item' });
