import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createAttemptCounters, inProcess } from '../src/oauth/signin/attempts.store.js';
import { createSignIn, createSignInLimits, SIGN_IN_LIMITS } from '../src/oauth/signin/sign-in.js';
import { createPasswords } from '../src/scim/users/passwords.js';
import { createBrowser } from './browser.js';
import { newUser as createUser } from './page-client.js';
import { useApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { authorizeUrl } from './tokens.js';

type Instance = Pick<TestApp, 'url'>;

/** Counters in Redis are shared, so each test uses its own accounts and addresses. */
const newAddress = () => `203.0.${randomBytes(1)[0]!}.${randomBytes(1)[0]!}`;

describe('the limits of sign-ins', () => {
  const app = useApp();
  const password = 'the first password';
  const newUser = async () => (await createUser(app)).userName;
  /** Opens a sign-in page in a browser with this forwarding header. */
  async function open(forwardedFor: string, instance: Instance = app) {
    const browser = createBrowser({ 'x-forwarded-for': forwardedFor });
    const first = await browser.get(authorizeUrl({ url: instance.url, trusted: app.trusted }));
    const { pathname } = new URL(first.headers.get('location')!);
    return (username: string, sent: string) =>
      browser.post(new URL(pathname, instance.url), { username, password: sent });
  }
  const statusOf = async (userName: string, sent: string, address: string, instance?: Instance) =>
    (await (await open(address, instance))(userName, sent)).status;
  /** Sends as many wrong passwords as are possible without a wait. */
  async function exhaust(userName: string, forwardedFor: string, instance: Instance = app) {
    const submit = await open(forwardedFor, instance);
    for (let n = 0; n < SIGN_IN_LIMITS.free; n++) expect((await submit(userName, 'wrong')).status).toBe(401);
    return submit;
  }
  /** Counts wrong passwords as another replica would, without hashing. */
  async function count(userName: string, address: string, wrong = SIGN_IN_LIMITS.free) {
    const { record } = createSignInLimits(createAttemptCounters(app.deps.redis.client));
    for (let n = 0; n < wrong; n++) await record({ account: userName, address }, false);
  }

  it('delay an address after five wrong passwords for an account, even with the right one', async () => {
    const userName = await newUser();
    const submit = await exhaust(userName, newAddress());
    const rejected = await submit(`\u00a0${userName.toUpperCase()}\u200b `, password);
    expect(rejected.status).toBe(429);
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(rejected.headers.get('content-type')).toMatch(/^text\/html/);
    const html = await rejected.text();
    expect(html).toContain('role="alert"');
    expect(html).toMatch(/Too many attempts. Please wait \d+ seconds and try again./);
    expect(rejected.headers.get('cache-control')).toBe('no-store');
  });

  it('do not reveal which accounts exist', async () => {
    const pages = await Promise.all(
      [await newUser(), randomBytes(6).toString('hex')].map(async (userName) => {
        const address = newAddress();
        await count(userName, address);
        const rejected = await (await open(address))(userName, 'wrong');
        expect(rejected.status).toBe(429);
        const html = (await rejected.text()).replace(userName, '');
        return html.replace(/\d+ seconds/, '').replace(/signin\/[\w-]+/, '');
      }),
    );
    expect(pages[0]).toBe(pages[1]);
  });

  it('do not delay other addresses, and restart after a right password', async () => {
    const userName = await newUser();
    await count(userName, newAddress());
    const address = newAddress();
    for (let n = 0; n < 2; n++) {
      await count(userName, address, SIGN_IN_LIMITS.free - 1);
      expect(await statusOf(userName, password, address)).toBe(303);
    }
  });

  it('hold for concurrent guesses', async () => {
    const userName = await newUser();
    const submit = await open(newAddress());
    const responses = await Promise.all(Array.from({ length: 12 }, () => submit(userName, 'wrong')));
    const answered = responses.filter(({ status }) => status === 401);
    expect(answered).toHaveLength(SIGN_IN_LIMITS.free);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(responses.length - answered.length);
    expect((await submit(userName, password)).status).toBe(429);
  });

  it('hold across replicas', async () => {
    const replica = await app.startInstance();
    const [userName, address] = [await newUser(), newAddress()];
    await count(userName, address);
    expect(await statusOf(userName, password, address, replica)).toBe(429);
  });

  it('trust only configured proxies about the address', async () => {
    const userName = await newUser();
    const address = newAddress();
    await count(userName, address);
    for (const forwardedFor of [`${newAddress()}, ${address}, 10.1.2.3`, `${newAddress()}, ${address}`])
      expect(await statusOf(userName, password, forwardedFor)).toBe(429);

    const direct = await app.startInstance({ TRUSTED_PROXIES: 'none' });
    const other = await newUser();
    await count(other, '127.0.0.1');
    expect(await statusOf(other, password, newAddress(), direct)).toBe(429);
  });

  it('treat an IPv6 network as one address', async () => {
    const userName = await newUser();
    const network = `2001:db8:${randomBytes(2).toString('hex')}:7`;
    await count(userName, network.replace(/:0+/g, ':'));
    expect(await statusOf(userName, password, `${network}:ffff::2`)).toBe(429);
    expect(await statusOf(userName, password, `${network.slice(0, -1)}8::1`)).toBe(303);
  });

  it('hold per process while Redis is unavailable, and sign-in works', async () => {
    const replica = await app.startInstance();
    await replica.deps.redis.close();
    const [userName, address] = [await newUser(), newAddress()];
    expect(await statusOf(userName, password, address, replica)).toBe(303);
    const submit = await exhaust(userName, address, replica);
    expect((await submit(userName, password)).status).toBe(429);
  });

  it('are stored in Redis under hashed names that expire', async () => {
    const userName = await newUser();
    await count(userName, newAddress());
    await statusOf(userName, password, newAddress());
    const { client } = app.deps.redis;
    const keys = await client.keys('signin:*');
    const kinds = ['pair', 'wait', 'account', 'address', 'own'];
    expect(new Set(keys.map((key) => key.split(':')[1]))).toEqual(new Set(kinds));
    for (const key of keys) {
      expect(key).toMatch(/^signin:\w+:[\w-]{22}$/);
      expect(await client.pttl(key)).toBeGreaterThan(0);
    }
  });
});

describe('the rules', () => {
  const limits = { ...SIGN_IN_LIMITS, free: 2, account: 3, address: 4 };
  const waitOf = (attempt: Promise<void>): Promise<number | void> =>
    attempt.catch((error: unknown) => Number((error as { headers: Record<string, string> }).headers['retry-after']));
  const from = (address: string, account = 'a') => ({ account, address });

  it('double the wait with each further wrong password, up to 15 minutes', async () => {
    const counters = inProcess();
    const waits: number[] = [];
    counters.startOnce = (_key, ttlMs) => Promise.resolve(waits.push(ttlMs) > 0);
    const { record } = createSignInLimits(counters, { ...limits, account: 99, address: 99 });
    for (let n = 0; n < 14; n++) await record(from('x'), false);
    expect(waits.slice(0, 4)).toEqual([30_000, 60_000, 120_000, 240_000]);
    expect(waits.at(-1)).toBe(15 * 60_000);
  });

  it.each([
    ['of one account from one address', limits.free, () => from('x')],
    ['of one account', limits.account, (n: number) => from(`address-${n}`)],
    ['from one address', limits.address, (n: number) => from('x', `account-${n}`)],
  ])('reject concurrent attempts beyond the limit %s', async (_, limit, attempt) => {
    const { record } = createSignInLimits(inProcess(), limits);
    const waits = await Promise.all(Array.from({ length: 9 }, (_item, n) => waitOf(record(attempt(n), false))));
    expect(waits.filter((wait) => wait === undefined)).toHaveLength(limit);
  });

  it("close an account to strangers, but not to its user's own addresses", async () => {
    const { assertAllowed, record } = createSignInLimits(inProcess(), limits);
    await record(from('home'), true);
    for (const address of ['p', 'q', 'r']) await record(from(address), false);
    expect(await waitOf(assertAllowed(from('s')))).toBeGreaterThan(3500);
    expect(await waitOf(assertAllowed(from('home')))).toBeUndefined();
    expect(await waitOf(assertAllowed(from('s', 'another')))).toBeUndefined();
  });

  it('close an address that tries many accounts, even after a right password', async () => {
    const { assertAllowed, record } = createSignInLimits(inProcess(), limits);
    for (const account of ['a', 'b', 'c']) await record(from('x', account), false);
    await record(from('x', 'mine'), true);
    await record(from('x', 'd'), false);
    expect(await waitOf(assertAllowed(from('x', 'e')))).toBeGreaterThan(3500);
    expect(await waitOf(assertAllowed(from('y', 'e')))).toBeUndefined();
  });
});

describe('checking a password', () => {
  it('hashes once for known, unknown and deactivated users and users without a password', async () => {
    const passwords = createPasswords();
    const _passwordHash = await passwords.hash('right');
    const users: Record<string, object> = {
      known: { _passwordHash, active: true },
      deactivated: { _passwordHash, active: false },
      'without a password': { active: true },
    };
    const hashed: (string | undefined)[] = [];
    const signIn = createSignIn({
      userStore: { findByUserName: (name: string) => Promise.resolve(users[name]) } as never,
      appStore: {} as never,
      passwords: {
        matches(password, hash) {
          hashed.push(hash);
          return passwords.matches(password, hash);
        },
      },
      limits: createSignInLimits(inProcess()),
      audit: { ofAccount: () => Promise.resolve() },
    });
    for (const name of ['known', 'unknown', 'deactivated', 'without a password']) {
      expect(await signIn.verify(name, 'wrong', 'x')).toBeUndefined();
    }
    expect(hashed).toEqual([_passwordHash, undefined, _passwordHash, undefined]);
    expect(await signIn.verify('deactivated', 'right', 'x')).toBeUndefined();
    expect(await signIn.verify('known', 'right', 'x')).toBe(users.known);
    await passwords.close();
  });
});
