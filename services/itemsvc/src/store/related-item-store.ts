import { BSON } from 'mongodb';
import { findPage, newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { Outbox, Totals } from '@dtplatform/queue';
import { errors } from '../errors.js';
import { relatedUsage } from '../domain/items/usage.js';
import type { Owner, RelatedItemStore } from '../domain/related-items/ports.js';
import type { RelatedItem } from '../domain/related-items/related-item.js';
import { fieldWithout, toFilter } from '../domain/query/plain-filter.js';
import { withTieBreaker } from '../domain/query/sort-order.js';
import { collectionsOf } from './collections.js';
import type { StoredRelatedItem } from './collections.js';
import { asking, MAX_TIME_MS } from './query-errors.js';
import { fieldsOf } from './stored-projection.js';
import { totalFrom } from './total.js';
import { createUsageOutbox } from './usage-outbox.js';

const MAX_BYTES = 8 * 1024 * 1024;
/** The total of a version's related items; kept under the version's id. */
const TOTAL_KEY = 'relateditem';
/** What related items belong to is not shown. */
const HIDDEN = ['_itemId', '_versionId'];
const shownField = fieldWithout(...HIDDEN);

/** Related items of all collections in one MongoDB collection, in the order of their creation. */
export function createRelatedItemStore({
  mongo,
  outbox,
  totals,
}: {
  mongo: Mongo;
  outbox: Outbox;
  totals: Totals;
}): RelatedItemStore {
  const { relatedItems } = collectionsOf(mongo.db);
  const usageOutbox = createUsageOutbox(outbox);

  return {
    newId,
    checkSize(row) {
      if (BSON.calculateObjectSize(row) > MAX_BYTES) throw errors.versionTooLarge();
    },

    async insert({ item, version }, rows) {
      const stored = rows.map((row) => storedRow(row, { item, version }));
      const bytes = stored.reduce((sum, row) => sum + BSON.calculateObjectSize(row), 0);
      const usage = relatedUsage(item, version, { count: rows.length, bytes });
      const deltas = [{ key: TOTAL_KEY, namespace: version._id, amount: rows.length }];
      await mongo.transaction(async (session) => {
        await relatedItems.insertMany(stored, { session });
        await usageOutbox.record(
          session,
          item._namespaces.map((namespace, index) => ({ namespace, usage, deltas: index === 0 ? deltas : [] })),
        );
      });
    },

    async list({ item, version }, { where, sort, project, paging }) {
      const own = { _itemId: item._id, _versionId: version._id };
      const filter = where ? { $and: [own, toFilter(where, shownField)] } : own;
      return asking(async () => {
        const list = await findPage<StoredRelatedItem, Partial<RelatedItem>>(relatedItems, filter, {
          ...paging,
          sort: withTieBreaker(sort),
          projection: fieldsOf(project, HIDDEN),
          maxTimeMs: MAX_TIME_MS,
        });
        const count = () =>
          where
            ? relatedItems.countDocuments(filter, { maxTimeMS: MAX_TIME_MS })
            : totals.read(TOTAL_KEY, [version._id]);
        return { list, total: await totalFrom(paging, list.length, count) };
      });
    },
  };
}

const storedRow = (row: RelatedItem, { item, version }: Owner): StoredRelatedItem => ({
  ...row,
  _itemId: item._id,
  _versionId: version._id,
});
