import type { Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox } from '@dtplatform/queue';
import type { Item } from '../../domain/nameduseritems/item.js';
import { createItemWrites } from '../nameduseritems/item-writes.js';
import { itemModel } from '../nameduseritems/item.model.js';
import { takenNameModel } from '../telemetryconfigs/taken-name.model.js';
import { telemetryConfigModel } from '../telemetryconfigs/telemetry-config.model.js';

const BATCH = 100;

type Placed = Pick<Item, '_id' | '_namespaces'> & { _revision?: number };

export type NamespaceContents = ReturnType<typeof createNamespaceContents>;

/** What namespaces hold. What is in other namespaces, too, only leaves the one. */
export function createNamespaceContents(deps: {
  mongo: Mongo;
  outbox: Outbox;
  cleanUp: MessageType<{ itemId: string }>;
}) {
  const { mongo } = deps;
  const items = mongo.model(itemModel);
  const telemetryConfigs = mongo.model(telemetryConfigModel);
  const takenNames = mongo.model(takenNameModel);
  const writes = createItemWrites(deps);

  /** On the revision that was read: a namespace that is added meanwhile must not be lost. */
  async function removeItem({ _id, _namespaces, _revision = 0 }: Placed, namespace: string): Promise<void> {
    const others = _namespaces.filter((other) => other !== namespace);
    if (others.length === 0) await writes.remove(_id, [_revision]);
    else await writes.update(_id, { _namespaces: others }, { byId: 'platform', at: Date.now() }, [_revision]);
  }

  const removeConfig = (id: string, name: string, namespace: string) =>
    mongo.transaction(async (session) => {
      await takenNames.deleteOne({ _id: `${namespace}/${name}`, configId: id }, { session });
      await telemetryConfigs.updateOne({ _id: id }, { $pull: { _namespaces: namespace } }, { session });
      await telemetryConfigs.deleteOne({ _id: id, _namespaces: [] }, { session });
    });

  return {
    /** Removes up to 100 items and 100 telemetry configurations. False when there were none. */
    async removeBatch(namespace: string): Promise<boolean> {
      const held = { _namespaces: namespace };
      const placed = await items.find(held, { _namespaces: 1, _revision: 1 }).limit(BATCH).lean<Placed[]>();
      for (const item of placed) await removeItem(item, namespace);
      const configs = await telemetryConfigs.find(held, { _shortName: 1 }).limit(BATCH).lean();
      for (const { _id, _shortName } of configs) await removeConfig(_id, _shortName, namespace);
      return placed.length + configs.length > 0;
    },
  };
}
