import type { Bench } from '../bench.js';
import { runProgram } from '../child.js';
import { ITEMS_PATH } from '../items.js';
import type { OneByOneLoad, OneByOneLoadResult } from '../load/one-by-one-load.js';
import { manyItems, type ManyItems } from '../many-items.js';
import type { Round, Side } from '../measure.js';
import type { Row } from '../row.js';
import { usageDuring } from '../usage.js';

const MANY = 1_000_000;
const FEW = 10_000;
const SECONDS = 1;
const WARM_UP_SECONDS = 0.5;
/** Different filter values, so that no database cache holds exactly the requested items. */
const VALUES = 500;

/** Parameters of a list, as JSON. */
type Parameters = Record<string, unknown>;

/** @param parametersOf the parameters that find the item with this number of seven digits */
const queryRow = (name: string, what: string, parametersOf: (digits: string) => Parameters, reach = 0.5): Row => ({
  row: `item-queries-${name}`,
  unit: 'list',
  reach,
  about: `${what}, one list after the other, of a million items; beside ten thousand`,
  async prepare(bench) {
    const [reference, ours] = [await sideWith(bench, FEW, parametersOf), await sideWith(bench, MANY, parametersOf)];
    return { ours, reference };
  },
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

async function sideWith(bench: Bench, items: number, parametersOf: (digits: string) => Parameters): Promise<Side> {
  const there = await manyItems(bench, items);
  const urls = Array.from({ length: VALUES }, () => urlOf(there, parametersOf(anyDigits(items))));
  const list = async (seconds: number): Promise<Round> => {
    const argument: OneByOneLoad = { urls, headers: {}, seconds };
    const work = () => runProgram<OneByOneLoadResult>('load/one-by-one-load', argument);
    const { result, usage } = await usageDuring(there.pid, work);
    return { perSecond: 1000 / result.p50Ms, done: result.requests, p50Ms: result.p50Ms, usage };
  };
  return { run: () => list(SECONDS), warmUp: () => list(WARM_UP_SECONDS) };
}

const anyDigits = (items: number): string => String(Math.floor(Math.random() * items)).padStart(7, '0');

const urlOf = ({ url, namespace }: ManyItems, parameters: Parameters): string => {
  const json = Object.entries(parameters).map(([name, value]): [string, string] => [name, JSON.stringify(value)]);
  return `${url}${ITEMS_PATH}?${new URLSearchParams([['nsfilter', namespace], ...json]).toString()}`;
};
