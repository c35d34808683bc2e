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

/** The related items of a collection that a caller may do something to: all, or those that match one of the criteria. */
type Allowed = 'all' | Criteria[];

export const allowedRelated = (access: Access, action: Action, item: Item, namespace: string): Promise<Allowed> =>
  access.related(action, itemIn(item, namespace));

/** Whether a related item is one of those. Of its fields, those that criteria name are enough. */
export const isAmong = (allowed: Allowed, row: Readonly<Record<string, unknown>>): boolean =>
  allowed === 'all' || allowed.some((criteria) => matches(criteria, row));

/** The fields by which it is decided. */
export const criteriaFields = (...all: Allowed[]): string[] => [
  ...new Set(all.flatMap((allowed) => (allowed === 'all' ? [] : allowed.flatMap((criteria) => Object.keys(criteria))))),
];

/**
 * Collections, for what callers do to their related items. Who may read some of these, but not the collection, finds it as
 * well.
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

/** Which version of which item related items belong to. */
export interface Owner {
  item: Pick<Item, '_id' | '_userItemId' | '_itemClass'>;
  version: Pick<Version, '_id' | '_version'>;
}

/** A version of a collection, and which of its related items the caller may read. */
export interface Readable {
  owner: Owner;
  allowed: 'all' | Criteria[];
}

/** The version of a collection that a call is about; the tip by default. @throws 400 for other items, 404 */
export async function ownerOf(versions: Versions, item: Item, versionId: string | undefined): Promise<Owner> {
  if (!NEW_RELATED_ITEMS[item._itemClass]) throw errors.noRelatedItems();
  return { item, version: await versions.get(item, versionId) };
}
