import { listPage, onePage } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { Totals } from '@dtplatform/queue';
import { withTieBreaker } from '../../domain/query/sort-order.js';
import type { RelatedItemStore } from '../../domain/relateditems/ports.js';
import { revisionOfRelatedItem } from '../../domain/relateditems/related-item.js';
import type { RelatedItem, StoredRelatedItem } from '../../domain/relateditems/related-item.js';
import { mapQueryErrors } from '../query/map-query-errors.js';
import { fieldsOf } from '../query/stored-projection.js';
import { relatedItemQuery } from './related-item-query.js';
import { HIDDEN_FIELDS, relatedItemModel, shownFields, TOTAL_KEY } from './related-item.model.js';
import type { OwnFields } from './related-item.model.js';

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
        return listPage<OwnFields, Partial<RelatedItem>>(relatedItems, query.filter, {
          paging,
          sort: new Map(withTieBreaker(query.sort)),
          projection: fieldsOf(project, HIDDEN_FIELDS),
          total: isWhole ? () => totals.read(TOTAL_KEY, [owner.version._id]) : undefined,
          asIs: true,
        });
      });
    },

    async find({ item, version }, id) {
      const own = { _id: id, _itemId: item._id, _versionId: version._id };
      const [stored] = await onePage<StoredRelatedItem>(relatedItems.collection, [{ $match: own }], 1);
      return stored && { ...shownFields(stored), _revision: revisionOfRelatedItem(stored) };
    },
  };
}
