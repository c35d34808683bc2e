import type { Readable } from '../relateditems/ports.js';
import type { RelatedItem } from '../relateditems/related-item.js';
import type { Match, SearchStore } from './ports.js';
import type { Relation } from './search-query.js';

/** A page of what is related to one item. */
export interface RelatedPage {
  _offset: number;
  _pageSize: number;
  _total: number;
  _list: Partial<RelatedItem>[];
}

/**
 * What is related to the items of a page, for each of them. First only the ids are read, of all that matches; then the items of
 * the pages.
 * @param parents ids of items in one collection
 * @param collections those that the caller may read, with the type that the relation asks for
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

/** The items that each parent names. */
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

/** The items that name each parent. */
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

/** The ids of the matches with these keys, in the order of the matches. */
function idsAt(matches: Match[], positions: Map<string, number>, keys: Set<string>): string[] {
  const found = [...keys].map((key) => positions.get(key)).filter((position) => position !== undefined);
  return found.sort((one, other) => one - other).map((position) => matches[position]!._id);
}
