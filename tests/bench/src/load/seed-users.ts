import { MongoClient } from 'mongodb';
import type { newUser } from '../../../../services/passportsvc/src/scim/users/users.js';
import { argument } from './argument.js';

/** Writes users into passportsvc's database as passportsvc does (scim/users/users.ts), with their number. */
export interface SeedUsers {
  mongoUrl: string;
  database: string;
  orgId: string;
  users: number;
}

const BATCH = 2_000;
const BATCHES_AT_ONCE = 3;
/** Number of users per family name. */
const FAMILY = 20;

const { mongoUrl, database, orgId, users } = argument<SeedUsers>();
const program = new URL('../../../../services/passportsvc/dist/scim/users/users.js', import.meta.url).href;
const passportsvc = (await import(program)) as { newUser: typeof newUser };

/** Unused: none of them has a password. */
const noPasswords = {} as Parameters<typeof newUser>[1];

const client = await MongoClient.connect(mongoUrl, { ignoreUndefined: true });
const db = client.db(database);
const collection = db.collection<{ _id: string }>('users');
let next = 0;
await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, insertUntilTheEnd));
// As in store/scim/user-counts.ts.
await db.collection<{ _id: string }>('user_counts').insertOne({ _id: `${orgId}/0`, orgId, amount: users } as never);
await client.close();
console.log(JSON.stringify({ users: next }));

async function insertUntilTheEnd(): Promise<void> {
  while (next < users) {
    const first = next;
    next = Math.min(users, first + BATCH);
    const made = Array.from({ length: next - first }, (_, n) => passportsvc.newUser(userOf(first + n), noPasswords));
    await collection.insertMany(await Promise.all(made), { ordered: false });
  }
}

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
