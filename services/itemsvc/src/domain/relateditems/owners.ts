import { errors } from '../../errors.js';
import type { Item } from '../nameduseritems/item.js';
import type { Versions } from '../versions/versions.js';
import type { Owner } from './ports.js';
import { NEW_RELATED_ITEMS } from './related-item.js';

/** The version of a collection that a call is about; the tip by default. @throws 400 for other items, 404 */
export async function ownerOf(versions: Versions, item: Item, versionId: string | undefined): Promise<Owner> {
  if (!NEW_RELATED_ITEMS[item._itemClass]) throw errors.noRelatedItems();
  return { item, version: await versions.get(item, versionId) };
}
