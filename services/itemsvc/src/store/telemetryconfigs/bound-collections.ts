import { oneOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { BoundCollections } from '../../domain/telemetryconfigs/ports.js';
import { itemModel } from '../nameduseritems/item.model.js';

/** Telemetry collections by the ids that bindings name. */
export function createBoundCollections(mongo: Mongo): BoundCollections {
  const items = mongo.model(itemModel);
  return {
    async find(_userItemId, namespaces) {
      const _itemClass = 'NamedTelemetryCollection' as const;
      const wanted = { _userItemId, _itemClass, _namespaces: oneOf(namespaces) };
      return (await items.findOne(wanted).lean()) ?? undefined;
    },
  };
}
