import type { Paging } from '@dtplatform/http';
import type { Projection } from './query/projection.js';
import type { Query } from './query/parse-query.js';
import type { SortOrder } from './query/sort-order.js';

/** A list call for items, versions or related items (docs/contract.md, "Shared query parameters"). */
export interface ListQuery extends Query {
  project?: Projection;
  sort: SortOrder;
  paging: Paging;
}

/** A page of what a projection left of documents, and how many there are in all. */
export interface Found<T> {
  list: Partial<T>[];
  total: number;
}
