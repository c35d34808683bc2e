import { describe, it } from '@jest/globals';
import { expectSamePaths } from '@dtplatform/testing';
import { Item } from '../src/domain/nameduseritems/item.js';
import { StoredRelatedItem } from '../src/domain/relateditems/related-item.js';
import { TelemetryConfig } from '../src/domain/telemetryconfigs/telemetry-config.js';
import { OlderVersion } from '../src/domain/versions/version.js';
import { itemModel } from '../src/store/nameduseritems/item.model.js';
import { relatedItemModel } from '../src/store/relateditems/related-item.model.js';
import { telemetryConfigModel } from '../src/store/telemetryconfigs/telemetry-config.model.js';
import { versionModel } from '../src/store/versions/version.model.js';

describe('the models', () => {
  it.each([
    ['items', itemModel, Item],
    ['versions', versionModel, OlderVersion],
    ['related items', relatedItemModel, StoredRelatedItem],
    ['telemetry configurations', telemetryConfigModel, TelemetryConfig],
  ])('of %s have the fields of their entities', (_name, model, entity) => expectSamePaths(model, entity));
});
