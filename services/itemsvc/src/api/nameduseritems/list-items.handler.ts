import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { ITEM_TYPE } from '../../domain/items/item.js';
import { listQueryOf } from '../list-parameters.js';
import { pageReply } from '../replies.js';
import type { ListItemsQuery } from './nameduseritems.schemas.js';

/** GET /nameduseritems: the items of a namespace that the caller may read (docs/contract.md, "Shared query parameters"). */
export const listItems =
  ({ itemStore }: Deps): Handler<{ query: ListItemsQuery }> =>
  async ({ query, access }) => {
    const listQuery = listQueryOf(query);
    const scope = await access.scope('READ', ITEM_TYPE, [query.nsfilter]);
    return ok(pageReply(await itemStore.list(listQuery, scope), listQuery.paging));
  };
