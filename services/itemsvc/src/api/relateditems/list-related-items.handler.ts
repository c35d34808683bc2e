import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import type { Item } from '../../domain/items/item.js';
import { listQueryOf } from '../list-parameters.js';
import { pageReply } from '../replies.js';
import type { ListRelatedItemsQuery } from './relateditems.schemas.js';

/** GET /nameduseritems/{id}/relateditems: what a version of a collection holds. */
export const listRelatedItems =
  ({ relatedItems }: Deps): Handler<{ query: ListRelatedItemsQuery; resource: Item }> =>
  async ({ query, resource }) => {
    const listQuery = listQueryOf(query);
    const found = await relatedItems.list(resource, query.userItemVersionId, listQuery);
    return ok({ ...pageReply(found, listQuery.paging), _includeTotal: true });
  };
