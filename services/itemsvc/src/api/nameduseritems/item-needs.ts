import type { Action } from '@dtplatform/contracts';
import type { RequestContext } from '@dtplatform/http';
import type { Needs } from '@dtplatform/permissions';
import type { Deps } from '../../deps.js';
import { itemIrn } from '../../domain/items/item.js';
import type { Item } from '../../domain/items/item.js';
import type { Projection } from '../../domain/query/projection.js';
import type { ItemParams } from './nameduseritems.schemas.js';

type ItemContext = Pick<
  RequestContext<ItemParams, { nsfilter: string; project?: Projection }>,
  'params' | 'query' | 'access'
>;

/**
 * The item that the path names, in the namespace of the call. Its `_id` is there whatever `project` says.
 * @throws 404 when it is not there or the caller may not read it there, 403 when it may read it but not do this
 */
export const needsItem = (
  action: Action,
  { itemStore }: Deps,
  projected: 'projected' | 'whole' = 'whole',
): Needs<ItemContext, Item> => ({
  action,
  async check({ params, query, access }) {
    const item = await itemStore.find(params.id, query.nsfilter, projected === 'projected' ? query.project : undefined);
    await access.require(action, item && { _irn: itemIrn(item._id), _namespaces: [query.nsfilter] });
    return item!;
  },
});
