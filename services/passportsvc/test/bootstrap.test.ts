import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '@dtplatform/config';
import { createLogger } from '@dtplatform/logging';
import { connectMongo, ensureIndexes, markGrants, newId } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { Config, MigrationConfig } from '../src/config.js';
import { bootstrapDatabase, service } from '../src/service.js';
import { useApp } from './start-app.js';
import { asApp, requestToken } from './tokens.js';

const GRANT = { grant_type: 'client_credentials' };

describe('bootstrap', () => {
  const app = useApp();

  it('creates everything once under concurrent first starts, and nothing when it runs again', async () => {
    const database = `${app.env.MONGO_DB!}_race`;
    const log = createLogger({ service: 'test', level: 'silent' });
    const mongo = await connectMongo({ url: app.env.MONGO_URL!, database, appName: 'test', log });
    const printed: string[] = [];
    const { BOOTSTRAP_ORG_ID, BOOTSTRAP_ADMIN_PASSWORD, BOOTSTRAP_APP_SECRET, ...env } = app.env;
    const config = loadConfig(MigrationConfig, env);
    const run = () => bootstrapDatabase(mongo, config, (text) => printed.push(text));
    try {
      await ensureIndexes(mongo, service.schema.models, log);
      await Promise.all([run(), run(), run(), run()]);
      await run();
      const names = ['organizations', 'users', 'apps', 'signing_keys'];
      const made = await Promise.all(names.map((name) => mongo.db.collection(name).countDocuments()));
      expect(made).toEqual([2, 1, 5, 1]);
      expect(printed.map((line) => line.split(' ').slice(0, 2).join(' ')).toSorted()).toEqual([
        expect.stringMatching(/^Administration app/),
        expect.stringMatching(/^Administrator/),
      ]);
      expect(app.printed).toEqual([]);
    } finally {
      await mongo.db.dropDatabase();
      await mongo.close();
    }
  });

  it('stores secrets and passwords as hashes, and signing keys encrypted', async () => {
    const names = ['apps', 'users', 'signing_keys', 'derivation_secrets'];
    const documents = names.map((name) => app.deps.mongo.db.collection(name).find().toArray());
    const stored = JSON.stringify(await Promise.all(documents));
    expect(stored).not.toContain(app.trusted.secret);
    expect(stored).not.toContain(app.admin.password);
    expect(stored).not.toMatch(/"d":/);
  });

  it('updates the secret of the service client', async () => {
    const id = app.env.SERVICE_CLIENT_ID!;
    const secret = randomBytes(24).toString('hex');
    const path = `/passportsvc/api/v1/apps/${id}`;
    const authorization = await asApp(app);
    const tag = async () => (await app.send('get', path, authorization).expect(200)).headers.etag;
    await app.migrate();
    expect(await tag()).toBe('"0"');
    await requestToken(app, GRANT, { id, secret: app.env.SERVICE_CLIENT_SECRET! }).expect(200);
    await app.migrate({ SERVICE_CLIENT_SECRET: secret });
    await eventually(() => requestToken(app, GRANT, { id, secret }).expect(200));
    expect(await tag()).toBe('"1"');
    await eventually(() => requestToken(app, GRANT, { id, secret: app.env.SERVICE_CLIENT_SECRET! }).expect(403));
  });

  it('lets the console sign users in at the address of the platform, without a secret', async () => {
    const find = () => app.deps.mongo.db.collection<{ _id: string }>('apps').findOne({ _id: 'console' });
    const grants = { _authorizedGrantTypes: 'authorization_code,refresh_token', _trusted: true };
    expect(await find()).toMatchObject({ ...grants, _redirectUris: `${app.env.BASE_URL!}/console/` });
    await app.migrate({ BASE_URL: 'https://moved.example.com' });
    expect(await find()).toMatchObject({ _redirectUris: 'https://moved.example.com/console/' });
    await app.migrate();
  });

  it('grants an untrusted app its permissions once objectmodelsvc accepts them', async () => {
    const subject = { _type: 'app' as const, _id: app.second.id };
    await eventually(async () => {
      const [namespace] = await app.grants.namespacesOf(subject);
      const grants = await app.grants.grantsOf(subject, namespace!);
      expect(grants).toEqual([{ _irn: '*:*:*', _actions: ['*'] }]);
      expect(await app.deps.mongo.db.collection('grant_marks').countDocuments()).toBe(0);
    });
  });

  it('grants permissions to apps that a migration creates while the service runs', async () => {
    const { mongo } = app.deps;
    const _user = { _type: 'app' as const, _id: newId() };
    const entry = { _user, _namespace: 'late_1', _resourceDesc: { _irn: '*:*:*' }, _actions: ['*' as const] };
    await mongo.transaction((session) => markGrants(mongo, [entry], session));
    await eventually(async () => expect(await app.grants.namespacesOf(_user)).toEqual(['late_1']));
  });

  it.each([
    ['KEY_ENCRYPTION_KEY', 'short', ''],
    ['OAUTH_ISSUER', 'https://other.test/oauth', 'must be BASE_URL'],
    ['TOKEN_ALG', 'none', ''],
    ['REFRESH_TOKEN_TTL_SEC', '60', 'must not be less than'],
    ...['10.0.0.0/33', '::/0', '10.0.0.1, everybody'].map(
      (ranges) => ['TRUSTED_PROXIES', ranges, 'must contain addresses'] as const,
    ),
  ])('rejects the setting %s=%s', (name, value, message) => {
    expect(() => loadConfig(Config, { ...app.env, [name]: value })).toThrow(`${name}: ${message}`);
  });

  it('accepts addresses and networks of proxies', () => {
    const proxies = { TRUSTED_PROXIES: '10.0.0.1, 2001:db8::/32' };
    expect(loadConfig(Config, { ...app.env, ...proxies }).TRUSTED_PROXIES).toHaveLength(2);
  });

  it.each([
    ['BOOTSTRAP_DEV', '{'],
    ['BOOTSTRAP_APP_ID', 'a b'],
    ...['here', 'http://app.test/cb', 'localhost:3000/cb'].map((uri) => ['BOOTSTRAP_REDIRECT_URI', uri] as const),
  ])('rejects the setting %s=%s of the migration', (name, value) => {
    expect(() => loadConfig(MigrationConfig, { ...app.env, [name]: value })).toThrow(name);
  });
});
