import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { showItem } from '../../domain/items/item.js';
import type { Item } from '../../domain/items/item.js';
import type { VersionChoice } from '../../domain/items/ports.js';
import type { GetItemQuery } from './nameduseritems.schemas.js';

/** GET /nameduseritems/{id}: an item with its tip, all its versions, or those that `versions` names. */
export const getItem =
  ({ itemStore }: Deps): Handler<{ query: GetItemQuery; resource: Item }> =>
  async ({ query, resource }) => {
    const choice = choiceOf(query);
    const shown = showItem(resource, choice && (await itemStore.versionsOf(resource._id, choice, query.project)));
    if (query.project && !query.project.withId) delete shown._id;
    return ok(shown);
  };

function choiceOf({ '_versions.all': all, versions }: GetItemQuery): VersionChoice | undefined {
  if (all) return 'all';
  if (!versions) return undefined;
  const isNumber = (version: string) => /^\d{1,9}$/.test(version);
  return {
    numbers: versions.filter(isNumber).map(Number),
    ids: versions.filter((version) => !isNumber(version)),
  };
}
