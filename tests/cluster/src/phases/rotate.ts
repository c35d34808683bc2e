import { randomBytes } from 'node:crypto';
import { devSettings, until } from '@dtplatform/stack';
import { clientCredentials, createCaller, signIn } from '@dtplatform/stack/client';
import { createLoadUser } from '@dtplatform/bench/callers';
import { underLoad } from '../load/load.js';
import { untilAllReady } from '../pods/all-ready.js';
import { backendAccounts, newAccount, S3_WITH_ACCOUNTS, s3Accounts, type Accounts } from '../rotation/accounts.js';
import { administer } from '../rotation/administer.js';
import { secretOf, type EncryptionKeys, type Secret } from '../rotation/secret.js';
import type { TestRun } from '../test-run.js';
import { upgradeWith } from '../deploy.js';

const SERVICES = ['deployment', '--selector=app.kubernetes.io/component in (api,worker)'];
const KEY = 'key-encryption-key';
const NEW_KEY = 'new';
/** Longer than passportsvc caches an app. */
const CACHED_MS = 15_000;

interface Rotation {
  run: TestRun;
  secret: Secret;
  backends: Record<string, Accounts>;
  deploy: (keys: EncryptionKeys) => Promise<number>;
}

/**
 * Replaces all credentials as docs/operations.md describes, under load: no request fails, and the old ones no longer
 * work.
 */
export async function rotate(run: TestRun): Promise<void> {
  const rotation = await prepare(run);
  await underLoad(run, { what: 'rotate', mayFail: false }, async () => {
    await rotateBackends(rotation);
    await rotateServiceClient(rotation);
    await rotation.secret.change({ keys: { [NEW_KEY]: randomBytes(32).toString('hex') } });
    await changeEncryptionKey(rotation, { key: NEW_KEY, previousKey: KEY });
    const { kid } = await administer<{ kid: string }>(run.kubectl, 'rotate-keys');
    run.report.ready('rotate', `the next signing key is ${kid}`);
  });
  await resetPassword(run);
  await replaceSecret(run);
  await revokeSigningKeys(run);
  // Not after a failure: passportsvc may still need the new key.
  await changeEncryptionKey(rotation, { key: KEY, previousKey: NEW_KEY });
  await upgradeWith(run);
  await rotation.secret.remove();
}

const FIRST = newAccount('first');
const SECOND = newAccount('second');

/** Deploys the platform with accounts of its own at the backends. */
async function prepare(run: TestRun): Promise<Rotation> {
  const { kubectl, options, stateDir } = run;
  const values = options.local ? { 'dev-backends': S3_WITH_ACCOUNTS } : {};
  const backends = { ...backendAccounts(kubectl), ...(options.local && { s3: s3Accounts(kubectl) }) };
  if (!options.local) run.skip('rotate: keys of S3', 'the test can add accounts only to versitygw (--local)');
  const secret = secretOf(run, options.local);
  await upgradeWith(run, { values });
  for (const accounts of Object.values(backends)) await accounts.add(FIRST);
  const { keyEncryptionKey } = await devSettings(stateDir);
  await secret.create({ backends: FIRST, serviceClient: FIRST, keys: { [KEY]: keyEncryptionKey } });
  const deploy = (keys: EncryptionKeys) => upgradeWith(run, { values: { ...values, ...secret.values(keys) } });
  await deploy({ key: KEY });
  return { run, secret, backends, deploy };
}

async function rotateBackends({ run, secret, backends }: Rotation): Promise<void> {
  for (const accounts of Object.values(backends)) await accounts.add(SECOND);
  await secret.change({ backends: SECOND });
  await restart(run);
  for (const [name, accounts] of Object.entries(backends)) {
    await accounts.remove(FIRST);
    if (await accounts.accepts(FIRST)) throw new Error(`${name} still accepts the removed account`);
    if (!(await accounts.accepts(SECOND))) throw new Error(`${name} rejects the new account`);
  }
  run.report.ready('rotate', `accounts of ${Object.keys(backends).join(', ')}`);
}

async function rotateServiceClient({ run, secret, deploy }: Rotation): Promise<void> {
  await secret.change({ serviceClient: SECOND });
  await deploy({ key: KEY });
  await restart(run);
  await administer(run.kubectl, 'distrust-app', FIRST.name);
  run.report.ready('rotate', 'service client');
}

async function changeEncryptionKey({ run, deploy }: Rotation, keys: Required<EncryptionKeys>): Promise<void> {
  await deploy(keys);
  const { reencrypted } = await administer<{ reencrypted: number }>(run.kubectl, 'reencrypt');
  if (reencrypted === 0) throw new Error('no secret was encrypted with the new key');
  await deploy({ key: keys.key });
  run.report.ready('rotate', `encryption key: ${reencrypted} secrets were encrypted again`);
}

async function resetPassword({ kubectl, dev, signal, report }: TestRun): Promise<void> {
  const { credentials, caller } = await createLoadUser(dev, signal);
  const { password } = await administer<{ password: string }>(kubectl, 'reset-password', credentials.email);
  await signIn(dev, { email: credentials.email, password });
  await rejects('the old password', () => signIn(dev, credentials));
  await caller.call('GET', '/passportsvc/api/v1/users/me', { expect: 401 });
  report.ready('rotate', 'password of a user');
}

async function replaceSecret({ dev, signal, report }: TestRun): Promise<void> {
  const { access_token: token } = await clientCredentials(dev);
  const json = {
    ...{ _name: 'Rotated', _userType: 'test', _appOwner: dev.admin.email, _orgId: dev.orgId },
    ...{ _shortName: newAccount('rotated').name, _redirectUris: dev.redirectUri },
  };
  const trusted = createCaller({ baseUrl: dev.baseUrl, token, signal });
  type Created = { _id: string; _secret: string };
  const { body: app } = await trusted.call<Created>('POST', '/passportsvc/api/v1/apps', { json, expect: 201 });
  const sign = (appSecret: string) => clientCredentials({ ...dev, appId: app._id, appSecret });
  await sign(app._secret);
  const path = `/passportsvc/api/v1/apps/${app._id}/secret`;
  const { body: replaced } = await trusted.call<Created>('POST', path, { json: {} });
  await sign(replaced._secret);
  const isRejected = () => rejects('the old secret', () => sign(app._secret)).then(...yesOrNo);
  await until('the old secret is rejected', isRejected, { timeoutMs: CACHED_MS, everyMs: 500, signal });
  report.ready('rotate', 'secret of an app');
}

/** As after a leak: all tokens end, and callers sign in again. */
async function revokeSigningKeys(run: TestRun): Promise<void> {
  const { caller } = await createLoadUser(run.dev, run.signal);
  await administer(run.kubectl, 'rotate-keys', '--revoke');
  await restart(run);
  await caller.call('GET', '/passportsvc/api/v1/users/me', { expect: 401 });
  await createLoadUser(run.dev, run.signal);
  run.report.ready('rotate', 'revoked signing keys');
}

async function restart(run: TestRun): Promise<void> {
  await run.kubectl.run('rollout', 'restart', ...SERVICES);
  await run.kubectl.run('rollout', 'status', ...SERVICES, '--timeout=300s');
  await untilAllReady(run);
}

const yesOrNo = [() => true, () => false] as const;

async function rejects(what: string, work: () => Promise<unknown>): Promise<void> {
  const isAccepted = await work().then(...yesOrNo);
  if (isAccepted) throw new Error(`${what} still works`);
}
