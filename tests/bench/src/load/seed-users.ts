import type { newUser } from '../../../../services/passportsvc/src/scim/users/users.js';
import { argument } from './program.js';
import { seed } from './seed.js';

/** Writes users into passportsvc's database as passportsvc does (scim/users/users.ts), with their number. */
export interface SeedUsers {
  mongoUrl: string;
  database: string;
  orgId: string;
  users: number;
}

/** Number of users per family name. */
const FAMILY = 20;

const { mongoUrl, database, orgId, users } = argument<SeedUsers>();
const program = new URL('../../../../services/passportsvc/dist/scim/users/users.js', import.meta.url).href;
const passportsvc = (await import(program)) as { newUser: typeof newUser };

/** Unused: none of them has a password. */
const noPasswords = {} as Parameters<typeof newUser>[1];

/** As in store/scim/user-counts.ts. */
const counts = [{ _id: `${orgId}/0`, orgId, amount: users }];
await seed(
  { mongoUrl, database, collection: 'users', count: users },
  (n) => passportsvc.newUser(userOf(n), noPasswords),
  { user_counts: counts },
);

function userOf(n: number) {
  const digits = String(n).padStart(7, '0');
  return {
    _id: digits.padStart(24, '0'),
    _orgId: orgId,
    active: true,
    userName: `User-${digits}@users.test`,
    externalId: `external-${digits}`,
    displayName: `Given ${n % 1000} Family ${digits}`,
    name: { givenName: `Given${n % 1000}`, familyName: `Family-${String(Math.floor(n / FAMILY)).padStart(6, '0')}` },
    emails: [
      { value: `mail-${digits}@users.test`, type: 'work', primary: true },
      { value: `home-${digits}@users.test`, type: 'home' },
    ],
  };
}
