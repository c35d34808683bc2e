import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { BSON, lockParent, modelOf, newId } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { MessageType, Outbox } from '@dtplatform/queue';
import { errors } from '../errors.js';
import { itemModel } from '../nameduseritems/item.model.js';
import type { StoredRelatedItem } from '../relateditems/related-item.js';
import { IN_ITEM, IN_VERSION, INDEXED, relatedItemModel } from '../relateditems/related-item.model.js';
import { OTHER, placeOf, valueFor } from './indexed-values.store.js';
import { isSameIndex, isText, MAX_INDEXES, RelatedIndex } from './related-index.js';
import type { NewIndex } from './related-index.js';

/** `filledTo`: the last related item that has its entry. */
const StoredIndex = RelatedIndex.extend({
  filledTo: z.object({ versionId: z.string(), id: z.string() }).optional(),
});
type StoredIndex = z.infer<typeof StoredIndex>;

export const relatedIndexModel = modelOf('related_indexes', StoredIndex, {
  indexes: [{ key: { _itemId: 1, name: 1 }, name: 'item', unique: true }],
});

interface Deps {
  mongo: Mongo;
  outbox: Outbox;
  fill: MessageType<{ indexId: string }>;
  clear: MessageType<{ itemId: string; indexId: string; slot?: number }>;
}

/** Indexes of collections. Changing them waits for running inserts, so that no related item misses its entry. */
export function createIndexStore({ mongo, outbox, fill, clear }: Deps) {
  const indexes = mongo.collection(relatedIndexModel);
  const items = mongo.model(itemModel);

  return {
    list: (itemId: string): Promise<RelatedIndex[]> => readIndexes(mongo, [itemId]),

    /** All or nothing. Existing indexes stay as they are. @throws 400 for too many, 404 if the item is gone */
    create: (itemId: string, wanted: NewIndex[]): Promise<RelatedIndex[]> =>
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

    /** @returns false if there is no such index */
    remove: (itemId: string, name: string): Promise<boolean> =>
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

export type IndexStore = ReturnType<typeof createIndexStore>;

export async function readIndexes(mongo: Mongo, itemIds: string[], session?: ClientSession): Promise<RelatedIndex[]> {
  const found = mongo.db
    .collection<StoredIndex>(relatedIndexModel.collection)
    .find({ _itemId: { $in: itemIds } }, { session, projection: { filledTo: 0 } });
  return found.sort({ name: 1 }).toArray();
}

/** @throws 400 for too many indexes, or a duplicate name or definition */
function newIndex(_itemId: string, { name, fields }: NewIndex, known: RelatedIndex[]): RelatedIndex {
  const isTaken = known.some((other) => other.name === name || (isText(other) && isText({ fields })));
  if (isTaken) throw errors.indexExists();
  if (known.length >= MAX_INDEXES) throw errors.tooManyIndexes();
  const base = { _id: newId(), _itemId, name, fields, status: 'BUILDING' as const, isMixed: false };
  if (isText({ fields })) return base;
  const taken = new Set(known.map(({ slot }) => slot));
  return { ...base, slot: Array.from({ length: MAX_INDEXES }, (_, slot) => slot).find((slot) => !taken.has(slot))! };
}

/** Related items per batch. A batch ends early at `MAX_BATCH_BYTES` of indexed fields. */
const BATCH = 500;
const MAX_BATCH_BYTES = 2 * 1024 * 1024;

type Position = StoredIndex['filledTo'];
type Fields = Record<string, 1>;
export type IndexBuilder = ReturnType<typeof createIndexBuilder>;

/** Fills new indexes and clears removed ones, in the worker. */
export function createIndexBuilder(mongo: Mongo) {
  const indexes = mongo.collection(relatedIndexModel);
  const relatedItems = mongo.collection(relatedItemModel);

  const nextRows = (itemId: string, after: Position, projection: Fields, session?: ClientSession) =>
    relatedItems
      .find(
        { [IN_ITEM]: itemId, ...(after && { $or: [{ [IN_VERSION]: { $gt: after.versionId } }, sameVersion(after)] }) },
        { session, projection: { [IN_VERSION]: 1, ...projection } },
      )
      .sort({ [IN_VERSION]: 1, _id: 1 })
      .limit(BATCH);

  /** Streams the rows and keeps only their entries, to bound memory. */
  async function nextValues(index: StoredIndex, session: ClientSession) {
    const found: { at: NonNullable<Position>; value: ReturnType<typeof valueFor> }[] = [];
    let bytes = 0;
    for await (const row of nextRows(index._itemId, index.filledTo, fieldsOf(index), session)) {
      found.push({ at: positionOf(row), value: valueFor(index, row) });
      bytes += BSON.calculateObjectSize(row);
      if (bytes >= MAX_BATCH_BYTES) break;
    }
    return found;
  }

  return {
    /**
     * Fills the entries of the next batch. A related item that changes concurrently is read again.
     * @returns false once the index is READY or gone
     */
    fillSome: (indexId: string): Promise<boolean> =>
      mongo.transaction(async (session) => {
        const index = await indexes.findOne({ _id: indexId, status: 'BUILDING' }, { session });
        if (!index) return false;
        const found = await nextValues(index, session);
        const filledTo = found.at(-1)?.at;
        if (!filledTo) {
          await indexes.updateOne(
            { _id: indexId },
            { $set: { status: 'READY' }, $unset: { filledTo: 1 } },
            { session },
          );
          return false;
        }
        const writes = found.map(({ at: { id }, value }) => ({
          updateOne: { filter: { _id: id }, update: { $set: { [`${INDEXED}.${placeOf(index)}`]: value } } },
        }));
        await relatedItems.bulkWrite(writes, { session, ordered: false });
        const isMixed = index.isMixed || found.some(({ value }) => value.v === OTHER);
        await indexes.updateOne({ _id: indexId }, { $set: { filledTo, isMixed } }, { session });
        return true;
      }),

    /**
     * Clears the entries of a removed index in the next batch.
     * @returns the position to resume from; undefined at the end
     */
    async clearSome(itemId: string, indexId: string, slot: number | undefined, after: Position): Promise<Position> {
      const place = `${INDEXED}.${placeOf({ slot })}`;
      const rows = await nextRows(itemId, after, { [`${place}.i`]: 1 }).toArray();
      const _id = { $in: rows.map((row) => row._id) };
      const stale = { _id, [`${place}.i`]: indexId };
      if (rows.length > 0) await relatedItems.updateMany(stale, { $unset: { [place]: 1 } });
      const last = rows.at(-1);
      return last && positionOf(last);
    },
  };
}

const positionOf = ({ _id, _platform }: Pick<StoredRelatedItem, '_id' | '_platform'>) => ({
  versionId: _platform.versionId,
  id: _id,
});
const sameVersion = ({ versionId, id }: NonNullable<Position>) => ({ [IN_VERSION]: versionId, _id: { $gt: id } });

/** The projection of an index. MongoDB rejects a path together with its parent. */
function fieldsOf({ fields }: StoredIndex): Fields {
  const paths = ['_id', IN_VERSION, ...fields.map(({ path }) => path)];
  const outer = paths.filter((path) => !paths.some((other) => path.startsWith(`${other}.`)));
  return Object.fromEntries(outer.map((path) => [path, 1]));
}
