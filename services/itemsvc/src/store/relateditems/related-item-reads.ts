import { listPage, onePage } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { Totals } from '@dtplatform/queue';
import { PLATFORM } from '../../domain/platform.js';
import { withTieBreaker } from '../../domain/query/sort-order.js';
import type { RelatedItemStore } from '../../domain/relateditems/ports.js';
import type { RelatedItem, StoredRelatedItem } from '../../domain/relateditems/related-item.js';
import { mapQueryErrors } from '../query/map-query-errors.js';
import { fieldsOf } from '../query/stored-projection.js';
import { relatedItemQuery } from './related-item-query.js';
import { IN_ITEM, IN_VERSION, relatedItemModel, TOTAL_KEY } from './related-item.model.js';

/** Reads of related items. */
export function createRelatedItemReads({
  mongo,
  totals,
}: {
  mongo: Mongo;
  totals: Totals;
}): Pick<RelatedItemStore, 'list' | 'find'> {
  const relatedItems = mongo.model(relatedItemModel);

  return {
    list(owner, { where, sort, project, paging }, allowed) {
      const isWhole = !where && allowed === 'all';
      return mapQueryErrors(async () => {
        const query = await relatedItemQuery(mongo, { owner, allowed }, where, sort);
        return listPage<StoredRelatedItem, Partial<RelatedItem>>(relatedItems, query.filter, {
          paging,
          sort: new Map(withTieBreaker(query.sort)),
          projection: fieldsOf(project, [PLATFORM]),
          total: isWhole ? () => totals.read(TOTAL_KEY, [owner.version._id]) : undefined,
          asIs: true,
        });
      });
    },

    async find({ item, version }, id) {
      const own = { _id: id, [IN_ITEM]: item._id, [IN_VERSION]: version._id };
      const [stored] = await onePage<StoredRelatedItem>(relatedItems.collection, [{ $match: own }], 1);
      return stored;
    },
  };
}
