import { describe, it } from '@jest/globals';
import { expectSamePaths } from '@dtplatform/testing';
import { Item } from '../src/domain/nameduseritems/item.js';
import { StoredRelatedCollection } from '../src/domain/relatedcollections/related-collection.js';
import { StoredRelatedItem } from '../src/domain/relateditems/related-item.js';
import { TelemetryConfig } from '../src/domain/telemetryconfigs/telemetry-config.js';
import { LoggedWrite } from '../src/domain/updatelogs/update-log.js';
import { OlderVersion } from '../src/domain/versions/version.js';
import { itemModel } from '../src/store/nameduseritems/item.model.js';
import { relatedCollectionModel } from '../src/store/relatedcollections/related-collection.model.js';
import { relatedItemModel } from '../src/store/relateditems/related-item.model.js';
import { telemetryConfigModel } from '../src/store/telemetryconfigs/telemetry-config.model.js';
import { updateLogModel } from '../src/store/updatelogs/update-log.model.js';
import { versionModel } from '../src/store/versions/version.model.js';

describe('the models', () => {
  it.each([
    ['items', itemModel, Item],
    ['versions', versionModel, OlderVersion],
    ['logged writes', updateLogModel, LoggedWrite],
    ['related collections', relatedCollectionModel, StoredRelatedCollection],
    ['related items', relatedItemModel, StoredRelatedItem],
    ['telemetry configurations', telemetryConfigModel, TelemetryConfig],
  ])('of %s have the fields of their entities', (_name, model, entity) => expectSamePaths(model, entity));
});
