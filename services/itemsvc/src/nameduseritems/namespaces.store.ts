import { oneOf } from '@dtplatform/mongo';
import type { Mongo, PendingGrants } from '@dtplatform/mongo';
import { homeOf } from '@dtplatform/permissions';
import type { Placed } from '@dtplatform/permissions';
import type { MessageType, NamespaceContents, Outbox } from '@dtplatform/queue';
import { itemModel } from './item.model.js';
import { createItemWrites } from './items.store.js';

const BATCH = 100;

type PlacedItem = Placed & { _id: string; _revision: number };

/** Items of closed namespaces. An item that is also in other namespaces stays there. */
export function createItemContents(deps: {
  mongo: Mongo;
  outbox: Outbox;
  cleanUp: MessageType<{ itemId: string }>;
}): NamespaceContents {
  const { mongo } = deps;
  const items = mongo.model(itemModel);
  // No grants: nobody gains access by this.
  const grants: Pick<PendingGrants, 'transaction'> = { transaction: (_none, work) => mongo.transaction(work) };
  const writes = createItemWrites({ ...deps, grants });

  /** Conditional on the revision, so that a namespace added concurrently is not lost. */
  async function removeItem(item: PlacedItem, closed: string[]): Promise<void> {
    const { _revision, _home } = item;
    const _namespaces = item._namespaces.filter((namespace) => !closed.includes(namespace));
    if (_namespaces.length === 0) return void (await writes.remove(item, [_revision]));
    const left = { _namespaces, _home: homeOf({ _namespaces, _home }) };
    await writes.update(item, left, { byId: 'platform', at: Date.now() }, [_revision], []);
  }

  return {
    async removeBatch(namespaces) {
      const placed = await items
        .find({ _namespaces: oneOf(namespaces) }, { _namespaces: 1, _home: 1, _revision: 1 })
        .limit(BATCH)
        .lean<PlacedItem[]>();
      for (const item of placed) await removeItem(item, namespaces);
      return placed.length > 0;
    },
  };
}
