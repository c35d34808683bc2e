import { modelOf } from '@dtplatform/mongo';
import { LoggedWrite } from '../../domain/updatelogs/update-log.js';

/** The latest writes of each item. */
export const updateLogModel = modelOf('item_update_logs', LoggedWrite, {
  indexes: [{ key: { _itemId: 1, _itemRevision: 1 }, name: 'item' }],
});
