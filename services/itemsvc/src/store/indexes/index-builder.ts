import { BSON } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { StoredRelatedItem } from '../../domain/relateditems/related-item.js';
import { relatedItemModel } from '../relateditems/related-item.model.js';
import { OTHER, placeOf, valueFor } from './indexed-values.js';
import { relatedIndexModel } from './related-index.model.js';
import type { StoredIndex } from './related-index.model.js';

/** Related items of one batch; fewer, if what the index reads of them is large. */
const BATCH = 500;
const MAX_BATCH_BYTES = 2 * 1024 * 1024;

type Position = StoredIndex['filledTo'];
type Fields = Record<string, 1>;
export type IndexBuilder = ReturnType<typeof createIndexBuilder>;

/** Gives related items the values of new indexes, and takes those of removed ones away. For the worker. */
export function createIndexBuilder(mongo: Mongo) {
  const indexes = mongo.db.collection<StoredIndex>(relatedIndexModel.collection);
  const relatedItems = mongo.db.collection<StoredRelatedItem>(relatedItemModel.collection);

  const nextRows = (itemId: string, after: Position, projection: Fields, session?: ClientSession) =>
    relatedItems
      .find(
        { _itemId: itemId, ...(after && { $or: [{ _versionId: { $gt: after.versionId } }, sameVersion(after)] }) },
        { session, projection: { _versionId: 1, ...projection } },
      )
      .sort({ _versionId: 1, _id: 1 })
      .limit(BATCH);

  /** The values of the next related items. Each is read, and dropped, before the next one is decoded. */
  async function nextValues(index: StoredIndex, session: ClientSession) {
    const found: { row: Pick<StoredRelatedItem, '_id' | '_versionId'>; value: ReturnType<typeof valueFor> }[] = [];
    let bytes = 0;
    for await (const row of nextRows(index._itemId, index.filledTo, fieldsOf(index), session)) {
      found.push({ row: { _id: row._id, _versionId: row._versionId }, value: valueFor(index, row) });
      bytes += BSON.calculateObjectSize(row);
      if (bytes >= MAX_BATCH_BYTES) break;
    }
    return found;
  }

  return {
    /**
     * Gives up to 500 related items their value. A related item that is changed meanwhile is read again.
     * @returns false when the index is READY, or gone
     */
    fillSome: (indexId: string): Promise<boolean> =>
      mongo.transaction(async (session) => {
        const index = await indexes.findOne({ _id: indexId, status: 'BUILDING' }, { session });
        if (!index) return false;
        const found = await nextValues(index, session);
        const last = found.at(-1)?.row;
        if (!last) {
          await indexes.updateOne(
            { _id: indexId },
            { $set: { status: 'READY' }, $unset: { filledTo: 1 } },
            { session },
          );
          return false;
        }
        const writes = found.map(({ row: { _id }, value }) => ({
          updateOne: { filter: { _id }, update: { $set: { [`_indexed.${placeOf(index)}`]: value } } },
        }));
        await relatedItems.bulkWrite(writes, { session, ordered: false });
        const isMixed = index.isMixed || found.some(({ value }) => value.v === OTHER);
        const filledTo = { versionId: last._versionId, id: last._id };
        await indexes.updateOne({ _id: indexId }, { $set: { filledTo, isMixed } }, { session });
        return true;
      }),

    /** Takes the values of a removed index from up to 500 related items. @returns where to continue; undefined at the end */
    async clearSome(itemId: string, indexId: string, slot: number | undefined, after: Position): Promise<Position> {
      const place = placeOf({ slot });
      const rows = await nextRows(itemId, after, { [`_indexed.${place}.i`]: 1 }).toArray();
      const _id = { $in: rows.map((row) => row._id) };
      const stale = { _id, [`_indexed.${place}.i`]: indexId };
      if (rows.length > 0) await relatedItems.updateMany(stale, { $unset: { [`_indexed.${place}`]: 1 } });
      const last = rows.at(-1);
      return last && { versionId: last._versionId, id: last._id };
    },
  };
}

const sameVersion = ({ versionId, id }: NonNullable<Position>) => ({ _versionId: versionId, _id: { $gt: id } });

/** The fields of an index, and the id. The database refuses a field beside one that it is inside of. */
function fieldsOf({ fields }: StoredIndex): Fields {
  const paths = ['_id', '_versionId', ...fields.map(({ path }) => path)];
  const outer = paths.filter((path) => !paths.some((other) => path.startsWith(`${other}.`)));
  return Object.fromEntries(outer.map((path) => [path, 1]));
}
