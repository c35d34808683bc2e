import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import type { Item } from '../../domain/items/item.js';
import type { ListItemsQuery } from '../nameduseritems/nameduseritems.schemas.js';
import { listQueryOf } from '../list-parameters.js';
import { pageReply } from '../replies.js';

/** GET /nameduseritems/{id}/versions: all versions of an item, newest first (docs/contract.md, "Versions"). */
export const listVersions =
  ({ itemStore }: Deps): Handler<{ query: ListItemsQuery; resource: Item }> =>
  async ({ query, resource }) => {
    const listQuery = listQueryOf(query);
    return ok(pageReply(await itemStore.listVersions(resource, listQuery), listQuery.paging));
  };
