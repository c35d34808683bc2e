import { BSON } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { StoredRelatedItem } from '../../domain/relateditems/related-item.js';
import { IN_ITEM, IN_VERSION, INDEXED, relatedItemModel } from '../relateditems/related-item.model.js';
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
        { [IN_ITEM]: itemId, ...(after && { $or: [{ [IN_VERSION]: { $gt: after.versionId } }, sameVersion(after)] }) },
        { session, projection: { [IN_VERSION]: 1, ...projection } },
      )
      .sort({ [IN_VERSION]: 1, _id: 1 })
      .limit(BATCH);

  /** The values of the next related items. Each is read, and dropped, before the next one is decoded. */
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
     * Gives up to 500 related items their value. A related item that is changed meanwhile is read again.
     * @returns false when the index is READY, or gone
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

    /** Takes the values of a removed index from up to 500 related items. @returns where to continue; undefined at the end */
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

/** The fields of an index, and the id. The database refuses a field beside one that it is inside of. */
function fieldsOf({ fields }: StoredIndex): Fields {
  const paths = ['_id', IN_VERSION, ...fields.map(({ path }) => path)];
  const outer = paths.filter((path) => !paths.some((other) => path.startsWith(`${other}.`)));
  return Object.fromEntries(outer.map((path) => [path, 1]));
}
