import { defineSchema, grantMarkModel, parentLockModel } from '@dtplatform/mongo';
import { queueModels } from '@dtplatform/queue';
import { linkKeyModel } from '../asynctasks/async-tasks.store.js';
import { relatedIndexModel } from '../indexes/indexes.store.js';
import { deadLetterModel, deliveryModel, messageModel } from '../messages/messages.model.js';
import { itemModel } from '../nameduseritems/item.model.js';
import { batchModel, readingModels, removalModel } from '../readings/readings.model.js';
import { relatedCollectionModel } from '../relatedcollections/related-collection.model.js';
import { bulkBatchModel } from '../relateditems/bulk.store.js';
import { relatedItemModel } from '../relateditems/related-item.model.js';
import {
  takenNameModel,
  telemetryConfigModel,
  waitingChangesModel,
} from '../telemetryconfigs/telemetry-configs.model.js';
import { updateLogModel } from '../updatelogs/update-logs.store.js';
import { versionModel } from '../versions/version.model.js';

/** The models and migrations of this version. Append migrations, and never change one (docs/adr/0013). */
export const schema = defineSchema({
  models: [
    ...queueModels,
    parentLockModel,
    grantMarkModel,
    itemModel,
    versionModel,
    updateLogModel,
    relatedItemModel,
    relatedIndexModel,
    relatedCollectionModel,
    bulkBatchModel,
    ...Object.values(readingModels),
    batchModel,
    removalModel,
    messageModel,
    deadLetterModel,
    deliveryModel,
    telemetryConfigModel,
    takenNameModel,
    waitingChangesModel,
    linkKeyModel,
  ],
  migrations: [],
});
