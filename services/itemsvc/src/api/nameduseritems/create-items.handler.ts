import { created } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { showItem } from '../../domain/items/item.js';
import { createdPage } from '../replies.js';
import type { CreateItemsBody, WriteQuery } from './nameduseritems.schemas.js';

/** POST /nameduseritems: creates items with their first versions (docs/contract.md, "Named user items"). */
export const createItems =
  ({ items }: Deps): Handler<{ query: WriteQuery; body: CreateItemsBody }> =>
  async ({ query, body, access }) => {
    const { nsfilter: namespace, transactional = false } = query;
    const result = await items.create(body, transactional, { namespace, access });
    const shown = result.items.map((item) => showItem(item));
    return created(createdPage(shown, result.failures, transactional));
  };
