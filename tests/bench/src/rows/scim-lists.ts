import { listSide, manyBesideFew, someUrls } from '../list-side.js';
import { manyUsers } from '../many-users.js';
import type { Row } from '../row.js';

const PAGE = '25';

type Query = Record<string, string>;

/** @param queryOf the query that finds the user with this number of seven digits */
const listRow = (name: string, what: string, queryOf: (digits: string) => Query): Row => ({
  row: `scim-list-${name}`,
  unit: 'list',
  reach: 0.5,
  about: `${what}, one list after the other, of an organization with a million users; beside one with ten thousand`,
  prepare: (bench) =>
    manyBesideFew(async (count) => {
      const { url, pid, token } = await manyUsers(bench, count);
      const users = `${url}/passportsvc/api/v1/scim/Users`;
      const urls = someUrls(count, (digits) => `${users}?${new URLSearchParams(queryOf(digits)).toString()}`);
      return listSide(pid, { urls, token });
    }),
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
