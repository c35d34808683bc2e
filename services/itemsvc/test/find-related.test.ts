import { expect, it } from '@jest/globals';
import type { Readable } from '../src/relateditems/collections.js';
import type { Match } from '../src/search/search-query.js';
import { findRelated } from '../src/search/search.js';
import type { SearchStore } from '../src/search/search.store.js';

const PARENTS = 1000;
const NAMED = 10;
const LAST = PARENTS * NAMED - 1;

const readable = (_id: string): Readable => ({
  owner: { item: { _id, _userItemId: _id, _itemClass: 'NamedUserCollection' }, version: { _id, _version: 1 } },
  allowed: 'all',
});
const parents = { readable: readable('walls'), ids: Array.from({ length: PARENTS }, (_, n) => `wall ${n}`) };
/** Each wall names ten consecutive types. */
const namedBy = (n: number) => Array.from({ length: NAMED }, (_, k) => `type ${n * NAMED + k}`);

/** All types in reverse order. Counts reads of their `itemId`. */
function storeOf() {
  const looks = { count: 0 };
  const matches = Array.from({ length: PARENTS * NAMED }, (_, n): Match => ({
    _id: `type ${LAST - n}`,
    get itemId() {
      looks.count += 1;
      return 'types';
    },
  }));
  const store: Pick<SearchStore, 'relationsOf' | 'findNamed' | 'read'> = {
    relationsOf: async (_owner, ids) =>
      new Map(ids.map((id, n) => [id, [{ _relatedUserItemDbId: 'types', _relatedToIds: namedBy(n) }]])),
    findNamed: async () => matches,
    read: async (ids) => new Map(ids.map((id) => [id, { _id: id }])),
  };
  return { store: store as SearchStore, looks };
}

it('findRelated returns a page for each of 1000 items without scanning all matches for each', async () => {
  const { store, looks } = storeOf();
  const paging = { offset: 1, pageSize: 2 };
  const relation = { relatedUserType: 'types', isInverse: false, as: 'types', sort: [], paging };
  const pages = await findRelated(store, relation, parents, [readable('types')]);
  expect(pages.size).toBe(PARENTS);
  // In the order of the matches.
  expect(pages.get('wall 7')).toEqual({
    ...{ _offset: 1, _pageSize: 2, _total: NAMED },
    _list: [{ _id: 'type 78' }, { _id: 'type 77' }],
  });
  expect([...pages.values()].every(({ _total, _list }) => _total === NAMED && _list.length === 2)).toBe(true);
  expect(looks.count).toBeLessThanOrEqual(2 * PARENTS * NAMED);
});
