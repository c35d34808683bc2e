import { commonErrors } from '@dtplatform/errors';
import { errors } from '../../errors.js';
import type { ShownItem } from '../nameduseritems/item.js';
import type { ItemStore } from '../nameduseritems/ports.js';
import type { Expression } from '../query/expression.js';
import type { RelatedItemStore } from '../relateditems/ports.js';
import type { RelatedItem } from '../relateditems/related-item.js';
import type { VersionStore } from '../versions/ports.js';
import { findRelated } from './find-related.js';
import type { RelatedPage } from './find-related.js';
import type { SearchStore } from './ports.js';
import type { DistinctFields, FindInCollections, FindWithRelated, Relation } from './search-query.js';
import { findCollections } from './searched-collections.js';
import type { SearchContext, SearchedCollection } from './searched-collections.js';

/** A collection with what a search found in it. */
export type SearchResult = Partial<ShownItem>;
export type Search = ReturnType<typeof createSearch>;

interface Deps {
  itemStore: ItemStore;
  versionStore: VersionStore;
  relatedItemStore: RelatedItemStore;
  searchStore: SearchStore;
}

/** How many related items a reply holds, and their bytes, those of all collections and relations together. */
const MAX_ITEMS = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Searches of related items in several collections (docs/contract.md, "Search"). */
export function createSearch({ relatedItemStore, searchStore, ...stores }: Deps) {
  const pageOf = async (
    { owner, allowed }: SearchedCollection,
    { where, project, sort, paging }: FindInCollections,
  ): Promise<RelatedPage> => {
    const query = { where, project, sort, paging, allVersions: false };
    const { list, total } = await relatedItemStore.list(owner, query, allowed);
    return { _offset: paging.offset, _pageSize: paging.pageSize, _total: total, _list: list };
  };

  /** Adds what is related to the items of a page, each of which has its id. */
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
        // The id shows to which item the related ones belong, even if the caller did not ask for it.
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

/** @throws 400 when a search has found more than a reply holds */
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
