import { commonErrors } from '@dtplatform/errors';
import { BSON, listPage, newId, touchParents } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { Outbox, Totals } from '@dtplatform/queue';
import { relatedUsage } from '../../domain/nameduseritems/usage.js';
import { withTieBreaker } from '../../domain/query/sort-order.js';
import type { Owner, RelatedItemStore } from '../../domain/relateditems/ports.js';
import type { RelatedItem, StoredRelatedItem } from '../../domain/relateditems/related-item.js';
import { checkSize } from '../nameduseritems/holdings.js';
import { itemModel } from '../nameduseritems/item.model.js';
import { mapQueryErrors } from '../query/map-query-errors.js';
import { fieldWithout, toFilter } from '../query/plain-filter.js';
import { fieldsOf } from '../query/stored-projection.js';
import { createUsageOutbox } from '../usage-outbox.js';
import { relatedItemModel } from './related-item.model.js';
import type { OwnFields } from './related-item.model.js';

/** The total of a version's related items; stored under the version's id. */
const TOTAL_KEY = 'relateditem';
/** The version that related items belong to is not shown. */
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
  const relatedItems = mongo.model(relatedItemModel);
  const items = mongo.model(itemModel);
  const usageOutbox = createUsageOutbox(outbox);

  return {
    newId,
    checkSize,

    async insert({ item, version }, rows) {
      const stored = rows.map((row) => storedRow(row, { item, version }));
      const bytes = stored.reduce((sum, row) => sum + BSON.calculateObjectSize(row), 0);
      const usage = relatedUsage(item, version, { count: rows.length, bytes });
      const deltas = [{ key: TOTAL_KEY, namespace: version._id, amount: rows.length }];
      await mongo.transaction(async (session) => {
        await touchParents(mongo, [item._id], session);
        const current = await items.findById(item._id, { _namespaces: 1 }).session(session).lean();
        if (!current) throw commonErrors.notFound();
        // Mongoose takes the dots in names of callers' own fields for paths.
        await relatedItems.collection.insertMany(stored as object[], { session });
        await usageOutbox.record(
          session,
          current._namespaces.map((namespace, index) => ({ namespace, usage, deltas: index === 0 ? deltas : [] })),
        );
      });
    },

    list({ item, version }, { where, sort, project, paging }) {
      const own = { _itemId: item._id, _versionId: version._id };
      return mapQueryErrors(() =>
        listPage<OwnFields, Partial<RelatedItem>>(
          relatedItems,
          where ? { $and: [own, toFilter(where, shownField)] } : own,
          {
            paging,
            sort: new Map(withTieBreaker(sort)),
            projection: fieldsOf(project, HIDDEN),
            total: where ? undefined : () => totals.read(TOTAL_KEY, [version._id]),
            asIs: true,
          },
        ),
      );
    },
  };
}

const storedRow = (row: RelatedItem, { item, version }: Owner): StoredRelatedItem => ({
  ...row,
  _itemId: item._id,
  _versionId: version._id,
});
