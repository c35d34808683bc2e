import { created, parseInput } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import type { Item } from '../../domain/items/item.js';
import type { RelatedItemDraft } from '../../domain/related-items/related-item.js';
import { errors } from '../../errors.js';
import { createdPage } from '../replies.js';
import { ENTRIES_OF } from './relateditems.schemas.js';
import type { CreateRelatedItemsBody, CreateRelatedItemsQuery } from './relateditems.schemas.js';

type Input = { query: CreateRelatedItemsQuery; body: CreateRelatedItemsBody; resource: Item };

/** POST /nameduseritems/{id}/relateditems (docs/contract.md, "File items of a file collection"); other collections work alike. */
export const createRelatedItems =
  ({ relatedItems }: Deps): Handler<Input> =>
  async ({ query, body, resource, access, signal }) => {
    const { nsfilter: namespace, userItemVersionId: versionId, transactional = false } = query;
    const { principal } = access;
    const drafts = draftsOf(resource, body);
    const result = await relatedItems.add(drafts, transactional, {
      item: resource,
      versionId,
      namespace,
      principal,
      signal,
    });
    return created(createdPage(result.relatedItems, result.failures, transactional));
  };

function draftsOf({ _itemClass }: Item, body: CreateRelatedItemsBody): RelatedItemDraft[] {
  const entries = ENTRIES_OF[_itemClass];
  if (!entries) throw errors.noRelatedItems();
  return parseInput(entries, body, 'body') as RelatedItemDraft[];
}
