import { commonErrors } from '@dtplatform/errors';
import { errors } from '../errors.js';
import type { ShownItem } from '../nameduseritems/item.js';
import type { ItemStore } from '../nameduseritems/items.store.js';
import type { Expression } from '../query/expression.js';
import type { Readable } from '../relateditems/collections.js';
import type { RelatedItem } from '../relateditems/related-item.js';
import type { RelatedItemStore } from '../relateditems/related-items.store.js';
import type { VersionStore } from '../versions/versions.store.js';
import type { DistinctFields, FindInCollections, FindWithRelated, Match, Relation } from './search-query.js';
import type { SearchStore } from './search.store.js';
import { findCollections } from './searched-collections.js';
import type { SearchContext, SearchedCollection } from './searched-collections.js';

export type SearchResult = Partial<ShownItem>;
export type Search = ReturnType<typeof createSearch>;

interface Deps {
  itemStore: ItemStore;
  versionStore: VersionStore;
  relatedItemStore: RelatedItemStore;
  searchStore: SearchStore;
}

/** Per response, over all collections and relations. */
const MAX_ITEMS = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Searches across collections (docs/contract.md, "Search"). */
export function createSearch({ relatedItemStore, searchStore, ...stores }: Deps) {
  const pageOf = async (
    { owner, allowed }: SearchedCollection,
    { where, project, sort, paging }: FindInCollections,
  ): Promise<RelatedPage> => {
    const query = { where, project, sort, paging, allVersions: false };
    const { list, total } = await relatedItemStore.list(owner, query, allowed);
    return { _offset: paging.offset, _pageSize: paging.pageSize, _total: total, _list: list };
  };

  /** Adds related items to a page of items, which must have ids. */
  async function addRelated(
    parent: SearchedCollection,
    items: Partial<RelatedItem>[],
    relations: [Relation, SearchedCollection[]][],
    count: (found: object[]) => void,
  ): Promise<void> {
    const ids = items.map(({ _id }) => _id!);
    for (const [relation, collections] of relations) {
      const related = await findRelated(searchStore, relation, { readable: parent, ids }, collections);
      for (const item of items) {
        const page = related.get(item._id!);
        if (page) item[relation.as] = page;
        count(page?._list ?? []);
      }
    }
  }

  return {
    async findInCollections(search: FindInCollections, context: SearchContext): Promise<SearchResult[]> {
      const count = createCounter(searchStore);
      const results: SearchResult[] = [];
      for (const collection of await findCollections(stores, search.collectionDesc, context)) {
        const page = await pageOf(collection, search);
        count(page._list);
        results.push(resultOf(collection, page));
      }
      return results;
    },

    async findWithRelated({ parent, related }: FindWithRelated, context: SearchContext): Promise<SearchResult[]> {
      const count = createCounter(searchStore);
      const relations: [Relation, SearchedCollection[]][] = [];
      for (const relation of related) {
        const where = ofUserType(relation.relatedUserType);
        relations.push([relation, await findCollections(stores, { where }, context)]);
      }
      const results: SearchResult[] = [];
      for (const collection of await findCollections(stores, parent.collectionDesc, context)) {
        // The id maps related items to their parent, even if the caller did not select it.
        const project = parent.project && { ...parent.project, withId: true };
        const page = await pageOf(collection, { ...parent, project });
        count(page._list);
        await addRelated(collection, page._list, relations, count);
        if (parent.project?.withId === false) for (const item of page._list) delete item._id;
        results.push(resultOf(collection, page));
      }
      return results;
    },

    async distinct(search: DistinctFields, context: SearchContext): Promise<SearchResult[]> {
      const count = createCounter(searchStore);
      const results: SearchResult[] = [];
      for (const collection of await findCollections(stores, search.collectionDesc, context)) {
        const values: Record<string, unknown> = {};
        for (const field of search.fields) values[field] = await searchStore.distinct(collection, search.where, field);
        count([values]);
        results.push(resultOf(collection, { _offset: 0, _pageSize: 1, _total: 1, _list: [values] }));
      }
      return results;
    },
  };
}

const ofUserType = (value: string): Expression => ({
  kind: 'field',
  path: '_userType',
  tests: [{ operator: '$eq', value }],
});

const resultOf = ({ item, version }: SearchedCollection, _relatedItems: object): SearchResult => ({
  ...item,
  _versions: [{ ...version, _relatedItems }] as never,
});

/** @throws 400 if a response would be too large */
function createCounter(store: SearchStore) {
  let count = 0;
  let bytes = 0;
  return (found: object[]) => {
    count += found.length;
    bytes += store.bytesOf(found);
    if (count > MAX_ITEMS) throw errors.searchTooBroad();
    if (bytes > MAX_BYTES) throw commonErrors.pageTooLarge();
  };
}

interface RelatedPage {
  _offset: number;
  _pageSize: number;
  _total: number;
  _list: Partial<RelatedItem>[];
}

/**
 * Finds a page of related items for each parent. Reads only the ids of all matches first, then the items of the pages.
 * @param parents ids of items of one collection
 * @param collections readable ones of the relation's type
 */
export async function findRelated(
  store: SearchStore,
  relation: Relation,
  parents: { readable: Readable; ids: string[] },
  collections: Readable[],
): Promise<Map<string, RelatedPage>> {
  const { offset: _offset, pageSize: _pageSize } = relation.paging;
  const matches = relation.isInverse
    ? await findNaming(store, relation, parents, collections)
    : await findNamed(store, relation, parents, collections);
  const pages = [...matches].map(([parent, ids]) => ({ parent, ids, page: ids.slice(_offset, _offset + _pageSize) }));
  const items = await store.read([...new Set(pages.flatMap(({ page }) => page))], relation.project);
  return new Map(
    pages.map(({ parent, ids, page }) => {
      const _list = page.map((id) => items.get(id)).filter((item) => item !== undefined);
      return [parent, { _offset, _pageSize, _total: ids.length, _list }];
    }),
  );
}

type Matches = Map<string, string[]>;

async function findNamed(
  store: SearchStore,
  { where, sort }: Relation,
  { readable, ids }: { readable: Readable; ids: string[] },
  collections: Readable[],
): Promise<Matches> {
  if (ids.length === 0) return new Map();
  const known = new Set(collections.map(({ owner }) => owner.item._id));
  const relations = await store.relationsOf(readable.owner, ids);
  const named = ids.map((parent) => {
    const links = (relations.get(parent) ?? []).filter(({ _relatedUserItemDbId: id }) => known.has(id));
    return {
      parent,
      keys: new Set(links.flatMap((link) => link._relatedToIds.map((id) => keyOf(link._relatedUserItemDbId, id)))),
      ids: links.flatMap(({ _relatedToIds }) => _relatedToIds),
    };
  });
  const wanted = [...new Set(named.flatMap((one) => one.ids))];
  const matches = wanted.length === 0 ? [] : await store.findNamed(wanted, collections, { where, sort });
  const positions = new Map(matches.map(({ itemId, _id }, position) => [keyOf(itemId, _id), position]));
  return new Map(named.map(({ parent, keys }) => [parent, idsAt(matches, positions, keys)]));
}

async function findNaming(
  store: SearchStore,
  { where, sort }: Relation,
  { readable, ids }: { readable: Readable; ids: string[] },
  collections: Readable[],
): Promise<Matches> {
  const isEmpty = ids.length === 0 || collections.length === 0;
  const matches = isEmpty ? [] : await store.findNaming(ids, readable.owner.item._id, collections, { where, sort });
  const naming: Matches = new Map(ids.map((parent) => [parent, []]));
  for (const { _id, _names = [] } of matches) for (const parent of _names) naming.get(parent)?.push(_id);
  return naming;
}

const keyOf = (itemId: string, id: string) => `${itemId}/${id}`;

/** The ids of the matches with these keys, in match order. */
function idsAt(matches: Match[], positions: Map<string, number>, keys: Set<string>): string[] {
  const found = [...keys].map((key) => positions.get(key)).filter((position) => position !== undefined);
  return found.sort((one, other) => one - other).map((position) => matches[position]!._id);
}
