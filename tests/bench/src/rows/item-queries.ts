import { ITEMS } from '@dtplatform/stack/client';
import { listSide, manyBesideFew, someUrls } from '../list-side.js';
import { manyItems } from '../many-items.js';
import type { Row } from '../row.js';

/** Parameters of a list, as JSON. */
type Parameters = Record<string, unknown>;

/** @param parametersOf the parameters that find the item with this number of seven digits */
const queryRow = (name: string, what: string, parametersOf: (digits: string) => Parameters, reach = 0.5): Row => ({
  row: `item-queries-${name}`,
  unit: 'list',
  reach,
  about: `${what}, one list after the other, of a million items; beside ten thousand`,
  prepare: (bench) =>
    manyBesideFew(async (count) => {
      const { url, pid, namespace } = await manyItems(bench, count);
      const urlOf = (digits: string) => {
        const json = Object.entries(parametersOf(digits)).map(([key, value]): [string, string] => [
          key,
          JSON.stringify(value),
        ]);
        return `${url}${ITEMS}?${new URLSearchParams([['nsfilter', namespace], ...json]).toString()}`;
      };
      return listSide(pid, { urls: someUrls(count, urlOf) });
    }),
});

export const itemQueries: Row[] = [
  queryRow('all', 'the first page of all items', () => ({})),
  queryRow('total', 'the number of all items', () => ({ page: { _pageSize: 0 } }), 0.83),
  queryRow('name', '_name', (digits) => ({ query: { _name: `Room ${digits}` } })),
  // Matches ten items.
  queryRow('prefix', '_name by its start', (digits) => ({
    query: { _name: { $regex: `^Room ${digits.slice(0, 6)}` } },
  })),
  // Matches a hundred items; returns the first page.
  queryRow('type', '_userType', (digits) => ({ query: { _userType: `type-${digits.slice(0, 5)}` } })),
  queryRow('class', '_itemClass, with its total', () => ({ query: { _itemClass: 'NamedUserCollection' } })),
  queryRow('attribute', 'an attribute of the latest version', (digits) => ({
    query: { '_versions._userAttributes.code': `code-${digits}` },
  })),
  queryRow('sorted', 'the first page by _name, backwards', () => ({ sort: { _name: -1 } })),
];
