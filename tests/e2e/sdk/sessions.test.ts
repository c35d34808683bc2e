import { beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, createSession, memoryStore, SignedOutError, SignInError } from '@dtplatform/sdk';
import type { SessionStore } from '@dtplatform/sdk';
import { signInAsBrowser } from '@dtplatform/stack/client';
import { createAccount } from '../support/people.js';
import type { Account } from '../support/people.js';
import { dev } from '../support/platform.js';
import { signedIn } from './support.js';

const { baseUrl, redirectUri } = dev;

/** Makes the token in a store due for renewal. */
async function age(store: SessionStore): Promise<void> {
  const tokens = JSON.parse((await store.get('tokens'))!) as object;
  await store.set('tokens', JSON.stringify({ ...tokens, renewAt: 0 }));
}

describe('sessions of the SDK', () => {
  let account: Account;
  let store: SessionStore;
  const client = (auth: Parameters<typeof createClient>[0]['auth']) => createClient({ baseUrl, auth });

  beforeAll(async () => {
    account = await createAccount();
  });

  it('are renewed once for concurrent calls, and each refresh token is used once', async () => {
    store = memoryStore();
    const session = await signedIn(account, { store });
    expect(await session.isSignedIn()).toBe(true);
    const before = await session.token();
    for (let round = 0; round < 2; round++) {
      await age(store);
      const calls = Array.from({ length: 5 }, () => client(session).call('passportsvc.users.me'));
      for (const me of await Promise.all(calls)) expect(me._id).toBe(account.id);
    }
    expect(await session.token()).not.toBe(before);
  });

  it('replace a token that the platform rejects', async () => {
    store = memoryStore();
    const session = await signedIn(account, { store });
    const tokens = JSON.parse((await store.get('tokens'))!) as { accessToken: string };
    const [head, body, signature] = tokens.accessToken.split('.');
    const forged = [head, body, signature!.slice(1) + signature![0]!].join('.');
    await store.set('tokens', JSON.stringify({ ...tokens, accessToken: forged }));
    expect(await client(session).call('passportsvc.users.me')).toMatchObject({ _id: account.id });
  });

  it("reject the redirect of somebody else's sign-in", async () => {
    const options = { baseUrl, clientId: dev.appId, redirectUri };
    const mine = createSession({ ...options, store: memoryStore() });
    const others = createSession({ ...options, store: memoryStore() });
    const back = await signInAsBrowser(new URL(await others.begin()), account, { redirectUri });
    await mine.begin();
    await expect(mine.complete(back)).rejects.toThrow(SignInError);
    await others.complete(back);
    await expect(others.complete(back)).rejects.toThrow(SignInError);
  });

  it('report that the user has denied the sign-in', async () => {
    const session = createSession({ baseUrl, clientId: dev.second.appId, redirectUri, store: memoryStore() });
    const url = new URL(await session.begin());
    const back = await signInAsBrowser(url, account, { redirectUri, decision: 'deny' });
    await expect(session.complete(back)).rejects.toMatchObject({ name: 'SignInError', code: 'access_denied' });
  });

  it('are dropped by signing out, with all their tokens', async () => {
    store = memoryStore();
    const session = await signedIn(account, { store });
    const kept = (await store.get('tokens'))!;
    const token = await session.token();
    const page = await fetch(await session.signOut());
    expect(page.status).toBe(200);
    await expect(session.token()).rejects.toThrow(SignedOutError);
    await expect(client(token).call('passportsvc.users.me')).rejects.toMatchObject({ status: 401 });
    await store.set('tokens', kept);
    await age(store);
    await expect(session.token()).rejects.toThrow(SignedOutError);
  });
});
