import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createSealer, WrongKeyEncryptionKey } from '../src/oauth/keys/sealer.js';
import { runAdmin, spawnAdmin, startProgram } from './programs.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { OAUTH_V1, refreshWith, requestToken, tokensFor } from './tokens.js';

const GRANT = { grant_type: 'client_credentials' };
const newKey = () => randomBytes(32).toString('base64');
type Documents = { _id: string; [field: string]: unknown };

describe('the key encryption key', () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp();
  });
  afterEach(() => app.stop());

  const documents = (name: string) => app.deps.mongo.db.collection<Documents>(name);

  it('can be changed while services run, also after an interruption', async () => {
    const before = app.env.KEY_ENCRYPTION_KEY!;
    const after = newKey();
    const both = { KEY_ENCRYPTION_KEY: after, KEY_ENCRYPTION_KEY_PREVIOUS: before };
    const { refresh } = await tokensFor(app);
    const jwks = await app.api.get(`${OAUTH_V1}/jwks`).expect(200);
    // Enough to take a while.
    const sealer = createSealer({ KEY_ENCRYPTION_KEY: before });
    const secret = (n: number) => ({ _id: `server-${n}`, clientSecret: sealer.seal(`secret ${n}`, `server-${n}`) });
    await documents('scim_servers').insertMany(Array.from({ length: 2_000 }, (_, n) => secret(n)));

    const during = await app.startInstance(both);
    await requestToken(during, GRANT, app.trusted).expect(200);

    const { keyId } = createSealer({ KEY_ENCRYPTION_KEY: after });
    const changed = () => documents('scim_servers').countDocuments({ 'clientSecret.keyId': keyId });
    const first = startProgram('admin', { ...app.env, ...both }, ['reencrypt']);
    await eventually(async () => expect(await changed()).toBeGreaterThan(0), { timeoutMs: 60_000, everyMs: 5 });
    first.child.kill('SIGKILL');
    await first.ended;
    for (const running of [app, during]) await requestToken(running, GRANT, app.trusted).expect(200);

    const second = await spawnAdmin({ ...app.env, ...both }, ['reencrypt', '--json']);
    expect(second).toMatchObject({ code: 0 });
    expect(await changed()).toBe(2_000);
    expect((await runAdmin({ ...app.env, ...both }, ['reencrypt', '--json'])).json()).toEqual({ reencrypted: 0 });

    const only = await app.startInstance({ KEY_ENCRYPTION_KEY: after });
    expect((await only.api.get(`${OAUTH_V1}/jwks`).expect(200)).body).toEqual(jwks.body);
    await refreshWith(only, refresh, app.trusted).expect(200);
    const { clientSecret } = (await documents('scim_servers').findOne({ _id: 'server-7' })) as never as {
      clientSecret: Parameters<typeof sealer.unseal>[0];
    };
    expect(createSealer({ KEY_ENCRYPTION_KEY: after }).unseal(clientSecret, 'server-7')).toBe('secret 7');
    const late = await app.startInstance();
    await expect(late.deps.signingKeys()).rejects.toThrow(WrongKeyEncryptionKey);
  }, 120_000);

  it('changes nothing when the previous key is wrong', async () => {
    const wrong = { KEY_ENCRYPTION_KEY: newKey(), KEY_ENCRYPTION_KEY_PREVIOUS: newKey() };
    const before = await documents('signing_keys').find().toArray();
    const rejected = await runAdmin({ ...app.env, ...wrong }, ['reencrypt']);
    const stderr = expect.stringContaining('admin: KEY_ENCRYPTION_KEY: is not the key');
    const audit = [expect.objectContaining({ command: 'reencrypt', outcome: 'failed' })];
    expect(rejected).toMatchObject({ code: 4, stdout: '', stderr, audit });
    expect(await documents('signing_keys').find().toArray()).toEqual(before);
    await requestToken(app, GRANT, app.trusted).expect(200);
  });
});
