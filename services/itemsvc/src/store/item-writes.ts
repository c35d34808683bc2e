import { newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox } from '@dtplatform/queue';
import type { Item, Version } from '../domain/items/item.js';
import { newVersion } from '../domain/items/new-item.js';
import type { VersionDraft, Writing } from '../domain/items/new-item.js';
import type { Inspect, ItemChange } from '../domain/items/ports.js';
import { itemUsage, negated, versionUsage } from '../domain/items/usage.js';
import type { Collections } from './collections.js';
import { bytesOfVersion, checkSize, holdingsOf } from './holdings.js';
import { itemDeltas } from './usage-outbox.js';
import type { NamespaceUsage, UsageOutbox } from './usage-outbox.js';

export interface ItemWriteParts {
  mongo: Mongo;
  collections: Collections;
  outbox: Outbox;
  usageOutbox: UsageOutbox;
  /** Asks for the removal of what a deleted item leaves behind. */
  cleanUp: MessageType<{ itemId: string }>;
}

/** Writes of items. Each is one transaction, in which the metrics are told as well. */
export function createItemWrites({ mongo, collections, outbox, usageOutbox, cleanUp }: ItemWriteParts) {
  const { items, versions } = collections;

  return {
    newId,
    checkSize,

    async insert(created: Item[]): Promise<void> {
      await mongo.transaction(async (session) => {
        await items.insertMany(created, { session });
        await usageOutbox.record(session, created.flatMap(usageOfNewItem));
      });
    },

    async update(id: string, change: ItemChange, writing: Writing, inspect: Inspect): Promise<boolean> {
      return mongo.transaction(async (session) => {
        const $set = { ...change, ...touched(writing) };
        const before = await items.findOneAndUpdate({ _id: id }, { $set }, { session, returnDocument: 'before' });
        if (!before) return false;
        inspect(before);
        const added = change._namespaces.filter((namespace) => !before._namespaces.includes(namespace));
        const removed = before._namespaces.filter((namespace) => !change._namespaces.includes(namespace));
        if (added.length + removed.length === 0) return true;
        await versions.updateMany({ _userItemDbId: id }, { $set: { _namespaces: change._namespaces } }, { session });
        const usage = await holdingsOf(collections, before, session);
        await usageOutbox.record(session, [
          ...added.map((namespace) => ({ namespace, usage, deltas: itemDeltas(namespace, before._itemClass, 1) })),
          ...removed.map((namespace) => leaving(namespace, before, usage)),
        ]);
        return true;
      });
    },

    async remove(id: string, inspect: Inspect): Promise<boolean> {
      return mongo.transaction(async (session) => {
        const item = await items.findOneAndDelete({ _id: id }, { session });
        if (!item) return false;
        inspect(item);
        const usage = await holdingsOf(collections, item, session);
        await usageOutbox.record(
          session,
          item._namespaces.map((namespace) => leaving(namespace, item, usage)),
        );
        await outbox.put(session, cleanUp, { itemId: id });
        return true;
      });
    },

    async addVersion(
      id: string,
      draft: VersionDraft,
      writing: Writing,
      inspect: Inspect,
    ): Promise<Version | undefined> {
      const versionId = newId();
      return mongo.transaction(async (session) => {
        const item = await items.findOne({ _id: id }, { session });
        if (!item) return undefined;
        inspect(item);
        const tip = newVersion(draft, { id: versionId, itemId: id, number: item._nextVersion }, writing);
        checkSize(tip);
        await versions.insertOne({ ...item._tip, _isTip: false, _namespaces: item._namespaces }, { session });
        const $set = { _tip: tip, _tipId: tip._id, _tipVersion: tip._version, _nextVersion: tip._version + 1 };
        const update = { $set: { ...$set, ...touched(writing) }, $inc: { _versionsCount: 1 } };
        await items.updateOne({ _id: id }, update, { session });
        const usage = versionUsage(item, tip, bytesOfVersion(tip));
        await usageOutbox.record(
          session,
          item._namespaces.map((namespace) => ({ namespace, usage })),
        );
        return tip;
      });
    },
  };
}

const touched = ({ at, byId }: Writing) => ({ '_metadata._updatedAt': at, '_metadata._updatedById': byId });

function usageOfNewItem(item: Item): NamespaceUsage[] {
  const usage = [...itemUsage(item), ...versionUsage(item, item._tip, bytesOfVersion(item._tip))];
  return item._namespaces.map((namespace) => ({ namespace, usage, deltas: itemDeltas(namespace, item._itemClass, 1) }));
}

const leaving = (namespace: string, item: Item, usage: NamespaceUsage['usage']): NamespaceUsage => ({
  namespace,
  usage: negated(usage),
  deltas: itemDeltas(namespace, item._itemClass, -1),
});
