import type { Bench } from '../bench.js';
import { runProgram } from '../child.js';
import type { OneByOneLoad, OneByOneLoadResult } from '../load/one-by-one-load.js';
import { manyUsers, type ManyUsers } from '../many-users.js';
import type { Round, Side } from '../measure.js';
import type { Row } from '../row.js';
import { usageDuring } from '../usage.js';

const MANY = 1_000_000;
const FEW = 10_000;
const SECONDS = 1;
const WARM_UP_SECONDS = 0.5;
/** Different filter values, so that no database cache holds exactly the requested users. */
const VALUES = 500;
const PAGE = 25;

type Query = Record<string, string | number>;

/** @param queryOf the query that finds the user with this number of seven digits */
const listRow = (name: string, what: string, queryOf: (digits: string) => Query): Row => ({
  row: `scim-list-${name}`,
  unit: 'list',
  reach: 0.5,
  about: `${what}, one list after the other, of an organization with a million users; beside one with ten thousand`,
  async prepare(bench) {
    const [reference, ours] = [await sideWith(bench, FEW, queryOf), await sideWith(bench, MANY, queryOf)];
    return { ours, reference };
  },
});

export const scimLists: Row[] = [
  listRow('all', 'the first page of all users', () => ({ count: PAGE })),
  listRow('user-name', 'userName eq', (digits) => ({ filter: `userName eq "user-${digits}@users.test"` })),
  // Matches ten users.
  listRow('prefix', 'userName sw', (digits) => ({ filter: `userName sw "user-${digits.slice(0, 6)}"` })),
  // Matches a hundred users; returns the first page.
  listRow('part', 'userName sw, of more than a page', (digits) => ({
    ...{ filter: `userName sw "user-${digits.slice(0, 5)}"`, count: PAGE },
  })),
  listRow('email', 'emails.value eq', (digits) => ({ filter: `emails.value eq "mail-${digits}@users.test"` })),
  // Matches twenty users.
  listRow('family-name', 'name.familyName eq', (digits) => ({
    filter: `name.familyName eq "family-${familyOf(digits)}"`,
  })),
  listRow('sorted', 'the first page by userName', () => ({ sortBy: 'userName', count: PAGE })),
  listRow('newest', 'the first page by creation, the newest first', () => ({
    ...{ sortBy: 'meta.created', sortOrder: 'descending', count: PAGE },
  })),
];

const familyOf = (digits: string): string => String(Math.floor(Number(digits) / 20)).padStart(6, '0');

async function sideWith(bench: Bench, users: number, queryOf: (digits: string) => Query): Promise<Side> {
  const there = await manyUsers(bench, users);
  const urls = Array.from({ length: VALUES }, () => urlOf(there, queryOf(anyDigits(users))));
  const list = async (seconds: number): Promise<Round> => {
    const headers = { authorization: `Bearer ${there.token}` };
    const argument: OneByOneLoad = { urls, headers, seconds };
    const work = () => runProgram<OneByOneLoadResult>('load/one-by-one-load', argument);
    const { result, usage } = await usageDuring(there.pid, work);
    return { perSecond: 1000 / result.p50Ms, done: result.requests, p50Ms: result.p50Ms, usage };
  };
  return { run: () => list(SECONDS), warmUp: () => list(WARM_UP_SECONDS) };
}

const anyDigits = (users: number): string => String(Math.floor(Math.random() * users)).padStart(7, '0');

const urlOf = ({ url }: ManyUsers, query: Query): string =>
  `${url}/passportsvc/api/v1/scim/Users?${new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()}`;
