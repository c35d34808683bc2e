import { defineSchema, grantMarkModel, parentLockModel } from '@dtplatform/mongo';
import { queueModels } from '@dtplatform/queue';
import { linkKeyModel } from './asynctasks/link-key.js';
import { deliveryModel } from './messages/delivery.model.js';
import { deadLetterModel, messageModel } from './messages/message.model.js';
import { relatedIndexModel } from './indexes/related-index.model.js';
import { itemModel } from './nameduseritems/item.model.js';
import { relatedCollectionModel } from './relatedcollections/related-collection.model.js';
import { bulkBatchModel } from './relateditems/bulk-batch.model.js';
import { batchModel } from './readings/batch.model.js';
import { readingModels } from './readings/reading.model.js';
import { removalModel } from './readings/removal.model.js';
import { relatedItemModel } from './relateditems/related-item.model.js';
import { takenNameModel } from './telemetryconfigs/taken-name.model.js';
import { telemetryConfigModel } from './telemetryconfigs/telemetry-config.model.js';
import { updateLogModel } from './updatelogs/update-log.model.js';
import { waitingChangesModel } from './telemetryconfigs/waiting-changes.model.js';
import { versionModel } from './versions/version.model.js';

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
