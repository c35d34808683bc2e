import type { Paging } from '@dtplatform/resource';
import type { Projection } from './query/projection.js';
import type { Query } from './query/parse-query.js';
import type { SortOrder } from './query/sort-order.js';

/** A list call for items, versions or related items (docs/contract.md, "Shared query parameters"). */
export interface ListQuery extends Query {
  project?: Projection;
  sort: SortOrder;
  paging: Paging;
}
