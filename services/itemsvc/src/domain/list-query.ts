import type { Paging } from '@dtplatform/contracts';
import type { Expression } from './query/expression.js';
import type { Projection } from './query/projection.js';
import type { Query } from './query/parse-query.js';
import type { SortOrder } from './query/sort-order.js';

/** A list call for items, versions or related items (docs/contract.md, "Shared query parameters"). */
export interface ListQuery extends Query {
  project?: Projection;
  sort: SortOrder;
  paging: Paging;
}

/** The same query, for those alone that have a value in a field. */
export function narrowed<Q extends { where?: Expression }>(query: Q, path: string, value: string): Q {
  const condition: Expression = { kind: 'field', path, tests: [{ operator: '$eq', value }] };
  return { ...query, where: query.where ? { kind: 'and', parts: [query.where, condition] } : condition };
}
