import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from '@dtplatform/config';
import { createLogger } from '@dtplatform/logging';
import { connectMongo, ensureIndexes, markGrants, newId } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { Config, MigrationConfig } from '../src/config.js';
import { WrongKeyEncryptionKey } from '../src/oauth/keys/sealer.js';
import { bootstrapDatabase, service } from '../src/service.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, OAUTH_V1, requestToken } from './tokens.js';

const GRANT = { grant_type: 'client_credentials' };

describe('bootstrap', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.stop());

  const counts = async () => {
    const { db } = app.deps.mongo;
    const names = ['organizations', 'users', 'apps', 'signing_keys'];
    return Promise.all(names.map((name) => db.collection(name).countDocuments()));
  };

  it('changes nothing when it runs again, even concurrently', async () => {
    const before = await counts();
    expect(before).toEqual([2, 1, 4, 1]);
    await Promise.all([app.migrate(), app.migrate(), app.migrate()]);
    expect(await counts()).toEqual(before);
  });

  it('creates one of everything when several first starts run concurrently', async () => {
    const database = `${app.env.MONGO_DB!}_race`;
    const log = createLogger({ service: 'test', level: 'silent' });
    const mongo = await connectMongo({ url: app.env.MONGO_URL!, database, appName: 'test', log });
    const printed: string[] = [];
    const {
      BOOTSTRAP_ORG_ID: _org,
      BOOTSTRAP_ADMIN_PASSWORD: _password,
      BOOTSTRAP_APP_SECRET: _secret,
      ...env
    } = app.env;
    const config = loadConfig(MigrationConfig, env);
    const run = () => bootstrapDatabase(mongo, config, (text) => printed.push(text));
    try {
      await ensureIndexes(mongo, service.schema.models, log);
      await Promise.all([run(), run(), run(), run()]);
      const names = ['organizations', 'users', 'apps', 'signing_keys'];
      const made = await Promise.all(names.map((name) => mongo.db.collection(name).countDocuments()));
      expect(made).toEqual([2, 1, 4, 1]);
      expect(printed.filter((line) => line.startsWith('Administrator '))).toHaveLength(1);
      expect(printed.filter((line) => line.startsWith('Administration app '))).toHaveLength(1);
      await run();
      expect(printed).toHaveLength(2);
    } finally {
      await mongo.db.dropDatabase();
      await mongo.close();
    }
  });

  it('prints no secrets that were configured', () => {
    expect(app.printed).toEqual([]);
  });

  it('stores secrets and passwords as hashes and signing keys encrypted', async () => {
    const { db } = app.deps.mongo;
    const stored = JSON.stringify([
      await db.collection('apps').find().toArray(),
      await db.collection('users').find().toArray(),
      await db.collection('signing_keys').find().toArray(),
      await db.collection('derivation_secrets').find().toArray(),
    ]);
    expect(stored).not.toContain(app.trusted.secret);
    expect(stored).not.toContain(app.admin.password);
    expect(stored).not.toMatch(/"d":/);
  });

  it('updates the secret of the service client', async () => {
    const id = app.env.SERVICE_CLIENT_ID!;
    const secret = randomBytes(24).toString('hex');
    const path = `/passportsvc/api/v1/apps/${id}`;
    const authorization = await asApp(app);
    const tag = async () => (await app.api.get(path).set({ authorization }).expect(200)).headers.etag;
    await app.migrate();
    expect(await tag()).toBe('"0"');
    await requestToken(app, GRANT, { id, secret: app.env.SERVICE_CLIENT_SECRET! }).expect(200);
    await app.migrate({ SERVICE_CLIENT_SECRET: secret });
    await eventually(() => requestToken(app, GRANT, { id, secret }).expect(200));
    expect(await tag()).toBe('"1"');
    await eventually(() => requestToken(app, GRANT, { id, secret: app.env.SERVICE_CLIENT_SECRET! }).expect(403));
  });

  it('grants an untrusted app its permissions once they can be written', async () => {
    const { appId } = app.dev.second;
    await eventually(async () => {
      const [namespace] = await app.grants.namespacesOf({ _type: 'app', _id: appId });
      const grants = await app.grants.grantsOf({ _type: 'app', _id: appId }, namespace!);
      expect(grants).toEqual([{ _irn: '*:*:*', _actions: ['*'] }]);
      expect(await app.deps.mongo.db.collection('grant_marks').countDocuments()).toBe(0);
    });
  });

  it('grants permissions to apps that a migration creates after the process has started', async () => {
    const { mongo } = app.deps;
    const [namespace, appId] = ['late_1', newId()];
    const entry = {
      _namespace: namespace,
      _resourceDesc: { _irn: '*:*:*' },
      _user: { _type: 'app' as const, _id: appId },
    };
    await mongo.transaction((session) => markGrants(mongo, [{ ...entry, _actions: ['*'] }], session));
    await eventually(async () =>
      expect(await app.grants.namespacesOf({ _type: 'app', _id: appId })).toEqual([namespace]),
    );
  });

  it('gives all replicas the same signing keys', async () => {
    const replica = await app.startInstance();
    const [one, other] = await Promise.all([app, replica].map(({ api }) => api.get(`${OAUTH_V1}/jwks`).expect(200)));
    await replica.stop();
    expect(other!.body).toEqual(one!.body);
  });

  it('rejects another key encryption key', async () => {
    const replica = await app.startInstance({ KEY_ENCRYPTION_KEY: randomBytes(32).toString('hex') });
    await expect(replica.deps.signingKeys()).rejects.toThrow(WrongKeyEncryptionKey);
    await replica.stop();
  });

  it('names invalid settings', () => {
    const load = (more: Record<string, string>) => () => loadConfig(Config, { ...app.env, ...more });
    expect(load({ KEY_ENCRYPTION_KEY: 'short' })).toThrow(/KEY_ENCRYPTION_KEY/);
    expect(load({ OAUTH_ISSUER: 'https://other.test/oauth' })).toThrow(/OAUTH_ISSUER: must be BASE_URL/);
    expect(load({ TOKEN_ALG: 'none' })).toThrow(/TOKEN_ALG/);
    expect(load({ REFRESH_TOKEN_TTL_SEC: '60' })).toThrow(/REFRESH_TOKEN_TTL_SEC: must not be less than/);
    for (const range of ['10.0.0.0/33', '0.0.0.0/0', '::/0', 'proxy.test', '10.0.0.1, everybody']) {
      expect(load({ TRUSTED_PROXIES: range })).toThrow(/TRUSTED_PROXIES: must hold addresses/);
    }
    expect(load({ TRUSTED_PROXIES: '10.0.0.1, 2001:db8::/32' })().TRUSTED_PROXIES).toHaveLength(2);
    expect(() => loadConfig(MigrationConfig, { ...app.env, BOOTSTRAP_DEV: '{' })).toThrow(
      /BOOTSTRAP_DEV: must be JSON/,
    );
    for (const uri of ['http://app.test/cb', 'view-source:https://app.test', 'localhost:3000/cb']) {
      expect(() => loadConfig(MigrationConfig, { ...app.env, BOOTSTRAP_REDIRECT_URI: uri })).toThrow(
        /BOOTSTRAP_REDIRECT_URI/,
      );
    }
    expect(() => loadConfig(MigrationConfig, { ...app.env, BOOTSTRAP_APP_ID: 'a b' })).toThrow(/BOOTSTRAP_APP_ID/);
    expect(() => loadConfig(MigrationConfig, { ...app.env, BOOTSTRAP_REDIRECT_URI: 'here' })).toThrow(
      /BOOTSTRAP_REDIRECT_URI/,
    );
  });
});
