import type { Access } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { ITEM_TYPE } from '../nameduseritems/item.js';
import type { Item, ShownItem } from '../nameduseritems/item.js';
import type { ItemStore } from '../nameduseritems/items.store.js';
import type { Expression } from '../query/expression.js';
import { allowedRelated } from '../relateditems/collections.js';
import type { Owner, Readable } from '../relateditems/collections.js';
import { NEW_RELATED_ITEMS } from '../relateditems/related-item.js';
import type { Version } from '../versions/version.js';
import type { VersionStore } from '../versions/versions.store.js';
import type { CollectionDesc } from './search-query.js';

/** Per search. */
const MAX_COLLECTIONS = 100;

/** `namespace`: `nsfilter`. */
export interface SearchContext {
  namespace: string;
  access: Access;
}

/** A collection as search responses show it: without its version's data. */
export interface SearchedCollection extends Readable {
  item: Partial<ShownItem>;
  version: Partial<Version>;
}

const WITHOUT_DATA = {
  kind: 'without' as const,
  paths: ['_versions._userAttributes', '_versions._userData'],
  withId: true,
};
const WITH_RELATED_ITEMS: Expression = {
  kind: 'field',
  path: '_itemClass',
  tests: [{ operator: '$in', value: Object.keys(NEW_RELATED_ITEMS) }],
};

/**
 * The readable collections of a description; others are left out, as in lists.
 * @throws 400 for more than 100
 */
export async function findCollections(
  { itemStore, versionStore }: { itemStore: ItemStore; versionStore: VersionStore },
  { where, versionId }: CollectionDesc,
  { namespace, access }: SearchContext,
): Promise<SearchedCollection[]> {
  const parts = where ? [WITH_RELATED_ITEMS, where] : [WITH_RELATED_ITEMS];
  const scope = await access.scope('READ', ITEM_TYPE, [namespace]);
  const paging = { offset: 0, pageSize: MAX_COLLECTIONS };
  const query = { where: { kind: 'and' as const, parts }, allVersions: false, sort: [], paging, project: WITHOUT_DATA };
  const { list, total } = await itemStore.list(query, scope);
  if (total > MAX_COLLECTIONS) throw errors.searchTooBroad();

  const versionOf = async (item: Partial<ShownItem>): Promise<Partial<Version> | undefined> => {
    const [tip] = item._versions ?? [];
    if (versionId === undefined || versionId === tip?._id) return tip;
    const [older] = (await versionStore.choose(item._id!, { numbers: [], ids: [versionId] }, WITHOUT_DATA)) ?? [];
    return older;
  };
  const collections: SearchedCollection[] = [];
  for (const item of list) {
    const version = await versionOf(item);
    if (!version) continue;
    // Only the version's data is missing.
    const owner: Owner & { item: Item } = { item: item as Item, version: version as Version };
    const allowed = await allowedRelated(access, 'READ', owner.item, namespace);
    if (allowed.length > 0) collections.push({ item, version, owner, allowed });
  }
  return collections;
}
