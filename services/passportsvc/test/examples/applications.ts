import { expect } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { OAUTH_V1, OAUTH_V2, requestToken, s256 } from '../tokens.js';
import type { Client, Story } from './story.js';
import type { People } from './users.js';

const ENERGY_URI = 'https://energy.example.com/callback';
const VERIFIER = 'a-random-text-of-43-characters-or-more-that-the-app-keeps';

/** Olga, signed in to her app. */
export interface Viewer {
  client: Client;
  /** An `Authorization` header. */
  olga: string;
}

/** Registers an app, and signs its owner in. */
export async function keepApplications(story: Story, people: People): Promise<Viewer> {
  const { send, keep, admin, trusted, redeemCode, signIn } = story;
  const organization = await send('post', '/organizations', admin, { _name: 'Quayside Estates' }).expect(201);
  keep('organizations.create', organization);
  keep('organizations.list', await send('get', '/organizations', admin).query({ _pageSize: 10 }).expect(200));

  const client = await register(story, people);
  const pkce = { code_challenge: s256(VERIFIER), code_challenge_method: 'S256' };
  const code = await signIn(people.olga, client, pkce);
  const tokens = await redeemCode(client, code, { code_verifier: VERIFIER });
  keep('oauth.token', tokens);
  story.replace(code, 'the-code-of-the-sign-in');
  const olga = await refresh(story, client, tokens.body.refresh_token as string);

  keep('apps.list', await send('get', '/apps', olga).query({ query: '*view*' }).expect(200));
  const change = {
    _name: 'Building viewer',
    _redirectUris: client.redirectUri,
    _authorizedOrigins: 'https://viewer.example.com',
  };
  keep('apps.update', await send('put', `/apps/${client.id}`, olga, change).expect(200));
  keep('apps.listOrigins', await send('get', '/apps/origins', trusted).expect(200));
  const secret = await send('post', `/apps/${client.id}/secret`, olga, { _previousValidForSec: 86_400 }).expect(200);
  keep('apps.replaceSecret', secret);
  story.replace(secret.body._secret as string, 'the-new-secret-of-the-application');
  await keepConfigs(story, { client, olga });
  keep('apps.get', await send('get', `/apps/${client.id}`, olga).query({ withConfigs: true }).expect(200));
  return { client, olga };
}

async function register({ app, send, keep, replace, trusted }: Story, { olga }: People): Promise<Client> {
  const redirectUri = 'https://viewer.example.com/callback';
  const wanted = {
    ...{ _name: 'Viewer', _shortName: 'viewer', _userType: 'web' },
    ...{ _orgId: app.orgId, _appOwner: olga.userName, _redirectUris: redirectUri },
    _configs: { 'workspaces.limit': '50' },
  };
  const created = await send('post', '/apps', trusted, wanted).expect(201);
  keep('apps.create', created);
  const { _id: id, _secret: secret, _namespaces } = created.body as Record<string, string>;
  replace(secret!, 'the-secret-of-the-application');
  replace(_namespaces![0]!, 'viewer_w8r2m5tc');
  return { id: id!, secret: secret!, redirectUri };
}

/** @returns an `Authorization` header */
async function refresh({ app, keep, replace }: Story, client: Client, token: string): Promise<string> {
  const query = { grant_type: 'refresh_token', refresh_token: token };
  const refreshed = await app.api.get(`${OAUTH_V1}/token`).auth(client.id, client.secret).query(query).expect(200);
  keep('oauth.refresh', refreshed);
  const own = await requestToken(app, { grant_type: 'client_credentials' }, client, OAUTH_V2).expect(200);
  keep('oauth.tokenV2', own);
  replace(token, 'the-refresh-token');
  replace(refreshed.body.refresh_token as string, 'the-next-refresh-token');
  return `Bearer ${refreshed.body.access_token as string}`;
}

async function keepConfigs({ keep, send }: Story, { client, olga }: Viewer): Promise<void> {
  const configs = `/apps/${client.id}/configs`;
  keep('appConfigs.available', await send('get', '/apps/configs', olga).expect(200));
  keep('appConfigs.replace', await send('put', configs, olga, { 'workspaces.limit': '100' }).expect(200));
  keep('appConfigs.update', await send('patch', configs, olga, { 'usergroups.limit': '20' }).expect(200));
  keep('appConfigs.get', await send('get', configs, olga).expect(200));
}

/** An administrator's view of sign-ins and signing keys. */
export async function keepAdministration({ app, send, keep, replace, admin }: Story, { olga }: People): Promise<void> {
  const sessions = await send('get', `/users/${olga.id}/sessions`, admin).expect(200);
  for (const [index, { _id, _type }] of (sessions.body._list as { _id: string; _type: string }[]).entries())
    if (_type === 'browser') replace(_id, `sDdJZ7yJcW2PhIbJ7Qw${index}`);
  keep('sessions.list', sessions);
  const rotated = await send('post', '/signing_keys', admin).expect(201);
  keep('signingKeys.rotate', rotated);
  const listed = await send('get', '/signing_keys', admin).expect(200);
  keep('signingKeys.list', listed);
  for (const [index, { _id }] of (listed.body._list as { _id: string }[]).entries())
    replace(_id, `${index}pFTtF8ssbHg2vxNe7QyO4wYgY1NRbwzL3mHkX0aZdE`);
  keep('mails.sendTest', await send('post', '/mails', admin, { _to: 'olga@example.com' }).expect(201));
  keep('administrators.list', await send('get', '/administrators', admin).query({ _pageSize: 1 }).expect(200));
  await keepQueues({ app, send, keep, admin });
  keep('mails.list', await send('get', '/mails', admin).query({ _pageSize: 1 }).expect(200));
  keep('audit.list', await send('get', '/audit', admin).query({ _operation: 'signingKeys.rotate' }).expect(200));
}

/** The queue of mails, which fail as long as there is no mail server. */
async function keepQueues({ app, send, keep, admin }: Pick<Story, 'app' | 'send' | 'keep' | 'admin'>): Promise<void> {
  const worker = await app.startWorker();
  const failing = await eventually(async () => {
    const found = await send('get', '/queues/passportsvc.mail/failing', admin).query({ _pageSize: 1 }).expect(200);
    expect(found.body._list).toHaveLength(1);
    return found;
  });
  keep('queues.listFailing', failing);
  keep('queues.list', await send('get', '/queues', admin).query({ _pageSize: 1 }).expect(200));
  const _messageIds = [failing.body._list[0]._id];
  keep('queues.retry', await send('post', '/queues/passportsvc.mail/retry', admin, { _messageIds }).expect(200));
  await worker.stop();
  await app.deps.health.report('filesvc@filesvc-7c9f8d:1', {
    ...{ name: 'filesvc', host: 'filesvc-7c9f8d', startedAt: Date.now(), seenAt: Date.now() },
    ...{ ready: true, stopping: false, checks: { mongodb: 'ok', redis: 'ok', migrations: 'ok' } },
    requests: [{ at: Date.now(), count: 240, errors: 0, medianMs: 5, p95Ms: 25 }],
    jobs: [],
  });
  keep('health.read', await send('get', '/health', admin).expect(200));
  await app.deps.health.remove('filesvc@filesvc-7c9f8d:1');
  keep('queues.discard', await send('post', '/queues/passportsvc.mail/discard', admin, { _messageIds }).expect(200));
}

/** The server documents that apps read. */
export async function keepServer({ app, keep, replace }: Story): Promise<void> {
  const get = (path: string) => app.api.get(`${OAUTH_V1}${path}`).expect(200);
  keep('oauth.metadata', await get('/.well-known/oauth-authorization-server'));
  keep('oauth.openidMetadata', await get('/.well-known/openid-configuration'));
  const jwks = await get('/jwks');
  keep('oauth.jwks', jwks);
  const [{ kid, n, x, y }] = jwks.body.keys as [Record<string, string>];
  for (const [value, shown] of [
    [kid, 'the-id-of-the-key'],
    [n, 'the-modulus'],
    [x, 'the-x-coordinate'],
    [y, 'the-y-coordinate'],
  ] as const)
    if (value !== undefined) replace(value, shown);
}

/** Olga consents to the app of another organization. */
export async function keepConsents({ app, admin, send, keep, signIn }: Story, people: People, olga: string) {
  const energy = { ...app.second, redirectUri: ENERGY_URI };
  const _authorizedOrigins = new URL(energy.redirectUri).origin;
  const change = { _name: 'Energy reports', _redirectUris: energy.redirectUri, _authorizedOrigins };
  await send('put', `/apps/${energy.id}`, admin, change).expect(200);
  await signIn(people.olga, energy);
  keep('consents.list', await send('get', '/users/me/consents', olga).expect(200));
}
