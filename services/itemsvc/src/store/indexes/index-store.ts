import { commonErrors } from '@dtplatform/errors';
import { lockParent, newId } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox } from '@dtplatform/queue';
import type { IndexStore } from '../../domain/indexes/ports.js';
import { isSameIndex, isText, MAX_INDEXES } from '../../domain/indexes/related-index.js';
import type { NewIndex, RelatedIndex } from '../../domain/indexes/related-index.js';
import { errors } from '../../errors.js';
import { itemModel } from '../nameduseritems/item.model.js';
import { relatedIndexModel } from './related-index.model.js';
import type { StoredIndex } from './related-index.model.js';

interface Deps {
  mongo: Mongo;
  outbox: Outbox;
  fill: MessageType<{ indexId: string }>;
  clear: MessageType<{ itemId: string; indexId: string; slot?: number }>;
}

/** The indexes of collections. A change of them waits for the inserts that run, so that no related item lacks a value. */
export function createIndexStore({ mongo, outbox, fill, clear }: Deps): IndexStore {
  const indexes = mongo.db.collection<StoredIndex>(relatedIndexModel.collection);
  const items = mongo.model(itemModel);

  return {
    list: (itemId) => readIndexes(mongo, [itemId]),

    create: (itemId, wanted) =>
      mongo.transaction(async (session) => {
        await lockParent(mongo, itemId, session);
        if (!(await items.exists({ _id: itemId }).session(session))) throw commonErrors.notFound();
        const existing = await readIndexes(mongo, [itemId], session);
        const created: RelatedIndex[] = [];
        const all = wanted.map((one) => {
          const known = [...existing, ...created];
          const same = known.find(({ name }) => name === one.name);
          if (same && isSameIndex(same, one)) return same;
          const index = newIndex(itemId, one, known);
          created.push(index);
          return index;
        });
        if (created.length > 0) await indexes.insertMany(created, { session });
        for (const { _id } of created) await outbox.put(session, fill, { indexId: _id });
        return all;
      }),

    remove: (itemId, name) =>
      mongo.transaction(async (session) => {
        await lockParent(mongo, itemId, session);
        const removed = await indexes.findOneAndDelete({ _itemId: itemId, name }, { session });
        if (!removed) return false;
        const { _id: indexId, slot } = removed;
        await outbox.put(session, clear, { itemId, indexId, ...(slot !== undefined && { slot }) });
        return true;
      }),
  };
}

/** The indexes of collections by their names. */
export async function readIndexes(mongo: Mongo, itemIds: string[], session?: ClientSession): Promise<RelatedIndex[]> {
  const found = mongo.db
    .collection<StoredIndex>(relatedIndexModel.collection)
    .find({ _itemId: { $in: itemIds } }, { session, projection: { filledTo: 0 } });
  return found.sort({ name: 1 }).toArray();
}

/** @throws 400 when it would be one too many, or has the name or the fields of another one */
function newIndex(_itemId: string, { name, fields }: NewIndex, known: RelatedIndex[]): RelatedIndex {
  const isTaken = known.some((other) => other.name === name || (isText(other) && isText({ fields })));
  if (isTaken) throw errors.indexExists();
  if (known.length >= MAX_INDEXES) throw errors.tooManyIndexes();
  const base = { _id: newId(), _itemId, name, fields, status: 'BUILDING' as const, isMixed: false };
  if (isText({ fields })) return base;
  const taken = new Set(known.map(({ slot }) => slot));
  return { ...base, slot: Array.from({ length: MAX_INDEXES }, (_, slot) => slot).find((slot) => !taken.has(slot))! };
}
