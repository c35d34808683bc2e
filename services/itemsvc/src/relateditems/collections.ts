import type { Action, Criteria } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { matches } from '@dtplatform/permissions';
import type { Access, Resources } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { itemIn } from '../nameduseritems/item.js';
import type { Item } from '../nameduseritems/item.js';
import type { Items } from '../nameduseritems/items.js';
import type { Version } from '../versions/version.js';
import type { Versions } from '../versions/versions.js';
import { NEW_RELATED_ITEMS } from './related-item.js';

/** The related items that an action is permitted on: all, or those that match one of the criteria. */
type Allowed = 'all' | Criteria[];

export const allowedRelated = (access: Access, action: Action, item: Item, namespace: string): Promise<Allowed> =>
  access.related(action, itemIn(item, namespace));

/** Needs only the fields that the criteria name. */
export const isAmong = (allowed: Allowed, row: Readonly<Record<string, unknown>>): boolean =>
  allowed === 'all' || allowed.some((criteria) => matches(criteria, row));

/** The fields that the criteria name. */
export const criteriaFields = (...all: Allowed[]): string[] => [
  ...new Set(all.flatMap((allowed) => (allowed === 'all' ? [] : allowed.flatMap((criteria) => Object.keys(criteria))))),
];

/**
 * Collections as the parents of related items. A caller who may read some of the related items finds the collection,
 * even without permission to read it.
 */
export const createCollections = (items: Items): Required<Resources<Item>> => ({
  find: (id, namespace) => items.find(id, namespace),
  async require(access, action, item, namespace) {
    if (!item || isNone(await allowedRelated(access, 'READ', item, namespace))) throw commonErrors.notFound();
    if (isNone(await allowedRelated(access, action, item, namespace)))
      throw await access.refusal(action, item._irn, [namespace]);
    return item;
  },
});

const isNone = (allowed: Allowed) => allowed !== 'all' && allowed.length === 0;

/** The version that related items belong to. */
export interface Owner {
  item: Pick<Item, '_id' | '_userItemId' | '_itemClass'>;
  version: Pick<Version, '_id' | '_version'>;
}

export interface Readable {
  owner: Owner;
  allowed: 'all' | Criteria[];
}

/** The version defaults to the tip. @throws 400 for items without related items, 404 */
export async function ownerOf(versions: Versions, item: Item, versionId: string | undefined): Promise<Owner> {
  if (!NEW_RELATED_ITEMS[item._itemClass]) throw errors.noRelatedItems();
  return { item, version: await versions.get(item, versionId) };
}
