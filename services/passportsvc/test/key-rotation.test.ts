import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createVerifier } from '@dtplatform/jwt';
import { eventually } from '@dtplatform/testing';
import { createKeyRotation } from '../src/oauth/keys/key-rotation.js';
import { createSigningKeyStore } from '../src/oauth/keys/keys.store.js';
import type { SigningKeyStore } from '../src/oauth/keys/keys.store.js';
import { createSealer } from '../src/oauth/keys/sealer.js';
import { runAdmin, spawnAdmin, startProgram } from './programs.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, headerOf, OAUTH_V1, readSelf } from './tokens.js';

const GRANT = 'grant_type=client_credentials';
const DAY_MS = 24 * 60 * 60 * 1000;
/** Between calls of a client, to leave CPU for the rest. */
const PAUSE_MS = 25;
const patient = { timeoutMs: 60_000, everyMs: 50 };

describe('rotation of signing keys', () => {
  let app: TestApp | undefined;
  afterEach(() => app?.stop());

  const keys = async (started: TestApp) =>
    (await runAdmin(started.env, ['keys', '--json'])).json()._list as { kid: string; alg: string; state: string }[];
  const publishedBy = async (url: string): Promise<string[]> => {
    const response = await fetch(`${url}${OAUTH_V1}/jwks`);
    return ((await response.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  };
  const kidOf = (token: string) => headerOf(token).kid as string;

  it("fails no request: all processes accept each other's tokens before, during and after it", async () => {
    // Exceeds the five seconds for which a verifier does not fetch unknown keys again.
    app = await startApp({ SIGNING_KEY_LEAD_SEC: '6', ACCESS_TOKEN_TTL_SEC: '3' });
    const { env, trusted } = app;
    const other = startProgram('main', { ...env, PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'info' });
    try {
      const port = await eventually(() => {
        const found = /"port":(\d+),"msg":"listening"/.exec(other.output())?.[1];
        if (found === undefined) throw new Error(other.output());
        return found;
      }, patient);
      const urls = [app.url, `http://127.0.0.1:${port}`];
      const expected = { issuer: env.OAUTH_ISSUER!, audience: env.BASE_URL! };
      const verifiers = urls.map((url) => createVerifier({ ...expected, keys: new URL(`${url}${OAUTH_V1}/jwks`) }));
      const failures: string[] = [];
      const signedBy = new Map<string, string>();
      let requests = 0;

      async function accept(token: string): Promise<void> {
        for (const verify of verifiers) {
          await Promise.resolve(verify(token)).catch((error: unknown) => failures.push(`verifier: ${String(error)}`));
        }
        for (const url of urls) {
          const headers = { authorization: `Bearer ${token}` };
          const { status } = await fetch(`${url}/passportsvc/api/v1/apps/${trusted.id}`, { headers });
          if (status !== 200) failures.push(`${url} answered ${status}`);
          requests += 1;
        }
      }

      async function callUntil(ended: AbortSignal, url: string): Promise<void> {
        const authorization = `Basic ${Buffer.from(`${trusted.id}:${trusted.secret}`).toString('base64')}`;
        const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
        while (!ended.aborted) {
          const response = await fetch(`${url}${OAUTH_V1}/token`, { method: 'POST', headers, body: GRANT });
          const { access_token: token } = (await response.json()) as { access_token: string };
          const before = signedBy.get(url);
          // The last token of the old key must outlive the change.
          if (before !== undefined && kidOf(before) !== kidOf(token)) await accept(before);
          signedBy.set(url, token);
          await accept(token);
          await delay(PAUSE_MS);
        }
      }

      const { kid: oldKid } = (await keys(app))[0]!;
      const end = new AbortController();
      const calls = Promise.all(urls.map((url) => callUntil(end.signal, url)));
      const rotated = await spawnAdmin(env, ['rotate-keys', '--json']);
      expect(rotated).toMatchObject({ code: 0 });
      const { kid: newKid, state } = rotated.json() as { kid: string; state: string };
      expect(state).toBe('next');
      expect(rotated.audit).toEqual([expect.objectContaining({ command: 'rotate-keys', outcome: 'done' })]);
      // A second command during the rotation adds no third key.
      expect((await runAdmin(env, ['rotate-keys', '--json'])).json().kid).toBe(newKid);

      await eventually(() => {
        for (const url of urls) expect(kidOf(signedBy.get(url)!)).toBe(newKid);
      }, patient);
      for (const url of urls) expect(await publishedBy(url)).toEqual([newKid, oldKid]);
      await eventually(async () => {
        for (const url of urls) expect(await publishedBy(url)).toEqual([newKid]);
      }, patient);
      end.abort();
      await calls;
      expect(failures).toEqual([]);
      expect(requests).toBeGreaterThan(100);

      const { stop } = await app.startWorker();
      const isAlone = async () => expect(await keys(app!)).toMatchObject([{ kid: newKid, state: 'signing' }]);
      await eventually(isAlone, patient);
      await stop();
    } finally {
      other.child.kill('SIGTERM');
      await other.ended;
    }
  }, 180_000);

  it('is an operation, which keeps keys that tokens need', async () => {
    app = await startApp({ SIGNING_KEY_LEAD_SEC: '1', ACCESS_TOKEN_TTL_SEC: '4' });
    const { send } = app;
    const url = '/passportsvc/api/v1/signing_keys';
    const list = async () => (await send('get', url, await asApp(app!)).expect(200)).body._list;
    const retire = async (id: string) => (await send('delete', `${url}/${id}`, await asApp(app!))).status;
    const [{ _id: first }] = await list();
    const keyed = send('post', url, await asApp(app)).set('Idempotency-Key', 'rotate');
    const { body: next } = await keyed.expect(201);
    expect((await send('post', url, await asApp(app)).expect(201)).body).toEqual(next);
    expect(await list()).toMatchObject([{ _id: first, _until: expect.any(Number) }, next]);
    expect([await retire(first), await retire(next._id), await retire('unknown')]).toEqual([409, 409, 404]);
    await eventually(async () => expect((await list())[0]._state).toBe('expired'), patient);
    expect(await retire(first)).toBe(204);
    expect(await list()).toMatchObject([{ _id: next._id, _state: 'signing' }]);
  });

  it('happens once when the key is old enough, even with several workers', async () => {
    app = await startApp();
    const stored = app.deps.mongo.db.collection('signing_keys');
    const off = await app.startWorker({ SIGNING_KEY_ROTATION_DAYS: '0' });
    await stored.updateMany({}, { $set: { activeFrom: Date.now() - 91 * DAY_MS } });
    const workers = [await app.startWorker(), await app.startWorker()];
    await eventually(async () => expect(await keys(app!)).toHaveLength(2));
    expect(await keys(app)).toMatchObject([{ state: 'signing' }, { state: 'next', alg: 'ES256' }]);
    for (const { stop } of [off, ...workers]) await stop();
    expect(await stored.countDocuments()).toBe(2);
  });

  it('follows when the algorithm changes', async () => {
    app = await startApp({ SIGNING_KEY_LEAD_SEC: '1' });
    const authorization = await asApp(app);
    await app.migrate({ TOKEN_ALG: 'RS256' });
    await app.migrate({ TOKEN_ALG: 'RS256' });
    expect(await keys(app)).toMatchObject([{ alg: 'ES256' }, { alg: 'RS256' }]);
    await eventually(async () => {
      const next = await asApp(app!);
      expect(headerOf(next.replace('Bearer ', '')).alg).toBe('RS256');
      await readSelf(app!, next).expect(200);
    });
    await readSelf(app, authorization).expect(200);
    const metadata = await app.api.get(`${OAUTH_V1}/.well-known/openid-configuration`).expect(200);
    expect(metadata.body.id_token_signing_alg_values_supported).toEqual(['RS256']);
  });

  it('adds one key when two processes find none', async () => {
    app = await startApp();
    const signingKeyStore = createSigningKeyStore(app.deps.mongo);
    await signingKeyStore.remove((await signingKeyStore.list()).map(({ _id }) => _id));
    const sealer = createSealer({ KEY_ENCRYPTION_KEY: app.env.KEY_ENCRYPTION_KEY! });
    const times = { leadMs: DAY_MS, tokenTtlMs: DAY_MS };
    const start = (store: SigningKeyStore) =>
      createKeyRotation({ signingKeyStore: store, sealer, times }).ensure('ES256');
    let isAlone = true;
    const list = async () => {
      const found = await signingKeyStore.list();
      if (isAlone) await start(signingKeyStore); // the other process is faster
      isAlone = false;
      return found;
    };
    await start({ ...signingKeyStore, list });
    expect(await signingKeyStore.list()).toHaveLength(1);
  });

  it('withdraws a leaked key at once', async () => {
    app = await startApp({ SIGNING_KEY_LEAD_SEC: '1' });
    const authorization = await asApp(app);
    const { kid } = (await keys(app))[0]!;
    const wrong = await runAdmin({ ...app.env, KEY_ENCRYPTION_KEY: 'x'.repeat(32) }, ['rotate-keys', '--revoke']);
    expect(wrong).toMatchObject({ code: 4, stderr: expect.stringContaining('KEY_ENCRYPTION_KEY') });
    expect(await keys(app)).toMatchObject([{ kid, state: 'signing' }]);

    expect(await runAdmin(app.env, ['rotate-keys', '--revoke'])).toMatchObject({ code: 0 });
    await eventually(async () => expect(await publishedBy(app!.url)).not.toContain(kid));
    await readSelf(app, authorization).expect(401);
    await readSelf(app, await asApp(app)).expect(200);
  });
});
