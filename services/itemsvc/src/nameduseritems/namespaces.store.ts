import { oneOf } from '@dtplatform/mongo';
import type { Mongo, PendingGrants } from '@dtplatform/mongo';
import { homeOf } from '@dtplatform/permissions';
import type { Placed } from '@dtplatform/permissions';
import type { MessageType, NamespaceContents, Outbox } from '@dtplatform/queue';
import { removeMessages } from '../messages/messages.store.js';
import {
  takenNameModel,
  telemetryConfigModel,
  waitingChangesModel,
} from '../telemetryconfigs/telemetry-configs.model.js';
import { itemModel } from './item.model.js';
import { createItemWrites } from './items.store.js';

const BATCH = 100;

type PlacedItem = Placed & { _id: string; _revision: number };

/** What namespaces hold. Removing it from a namespace leaves it in its other namespaces. */
export function createNamespaceContents(deps: {
  mongo: Mongo;
  outbox: Outbox;
  cleanUp: MessageType<{ itemId: string }>;
}): NamespaceContents {
  const { mongo } = deps;
  const items = mongo.model(itemModel);
  const telemetryConfigs = mongo.model(telemetryConfigModel);
  const takenNames = mongo.model(takenNameModel);
  const waitingChanges = mongo.model(waitingChangesModel);
  // Nobody gets permissions by it.
  const grants: Pick<PendingGrants, 'transaction'> = { transaction: (_none, work) => mongo.transaction(work) };
  const writes = createItemWrites({ ...deps, grants });

  /** On the revision that was read: a namespace that is added meanwhile must not be lost. */
  async function removeItem(item: PlacedItem, closed: string[]): Promise<void> {
    const { _revision, _home } = item;
    const _namespaces = item._namespaces.filter((namespace) => !closed.includes(namespace));
    if (_namespaces.length === 0) return void (await writes.remove(item, [_revision]));
    const left = { _namespaces, _home: homeOf({ _namespaces, _home }) };
    await writes.update(item, left, { byId: 'platform', at: Date.now() }, [_revision], []);
  }

  const removeConfig = (id: string, closed: string[]) =>
    mongo.transaction(async (session) => {
      const names = await takenNames.find({ configId: id }, { _id: 1 }).session(session).lean();
      const left = names.filter(({ _id }) => closed.some((namespace) => _id.startsWith(`${namespace}/`)));
      await takenNames.deleteMany({ _id: oneOf(left.map(({ _id }) => _id)) }, { session });
      await telemetryConfigs.updateOne({ _id: id }, { $pullAll: { _namespaces: closed } }, { session });
      const { deletedCount } = await telemetryConfigs.deleteOne({ _id: id, _namespaces: [] }, { session });
      if (deletedCount === 0) return;
      await waitingChanges.deleteOne({ _id: id }, { session });
      await removeMessages(mongo, id, session);
    });

  return {
    /** Removes up to 100 items and 100 telemetry configurations. False when there were none. */
    async removeBatch(namespaces) {
      const held = { _namespaces: oneOf(namespaces) };
      const placed = await items
        .find(held, { _namespaces: 1, _home: 1, _revision: 1 })
        .limit(BATCH)
        .lean<PlacedItem[]>();
      for (const item of placed) await removeItem(item, namespaces);
      const configs = await telemetryConfigs.find(held, { _id: 1 }).limit(BATCH).lean();
      for (const { _id } of configs) await removeConfig(_id, namespaces);
      return placed.length + configs.length > 0;
    },
  };
}
