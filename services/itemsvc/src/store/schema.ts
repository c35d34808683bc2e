import { defineSchema, missingRevisions, parentLockModel } from '@dtplatform/mongo';
import { leaseTasksMigration, queueModels } from '@dtplatform/queue';
import { itemModel } from './nameduseritems/item.model.js';
import { relatedItemModel } from './relateditems/related-item.model.js';
import { takenNameModel } from './telemetryconfigs/taken-name.model.js';
import { telemetryConfigModel } from './telemetryconfigs/telemetry-config.model.js';
import { versionModel } from './versions/version.model.js';

/** What this version needs of its database. Migrations are added at the end and never changed (docs/adr/0013). */
export const schema = defineSchema({
  models: [
    ...queueModels,
    parentLockModel,
    itemModel,
    versionModel,
    relatedItemModel,
    telemetryConfigModel,
    takenNameModel,
  ],
  migrations: [
    missingRevisions('0001-revisions', [itemModel, telemetryConfigModel]),
    leaseTasksMigration('0002-lease-tasks'),
  ],
});
