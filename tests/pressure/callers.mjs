import { randomBytes } from 'node:crypto';
import { clientCredentials, createCaller, signIn } from '@dtplatform/stack/client';

const USERS = 3;
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** Users with all permissions in one namespace, a user without any, and the URLs of the services. */
export async function createCallers({ baseUrl, dev, services }) {
  const { access_token: appToken } = await clientCredentials(dev);
  const app = createCaller({ baseUrl, token: appToken });
  const users = [];
  for (let n = 0; n <= USERS; n++) users.push(await createSignedIn(app, dev, n));
  const [owner, ...others] = users;
  const stranger = others.pop();
  const workspace = await createCaller({ baseUrl, token: owner.token }).call('POST', '/passportsvc/api/v1/workspaces', {
    json: [{ _name: 'Pressure', _shortName: 'pressure' }],
    expect: 201,
  });
  const namespace = workspace.body._list[0]._namespaces[0];
  await allowAll(app, namespace, others);
  const urls = Object.fromEntries(services.filter(({ url }) => url).map(({ name, url }) => [name, url]));
  const tokens = [owner, ...others].map(({ token }) => token);
  return { namespace, urls, stranger: stranger.token, tokens, createCrowd };

  /** Many more users with all permissions in the namespace. @returns their tokens, which are valid for five minutes */
  async function createCrowd(count) {
    const users = [];
    for (let n = 0; n < count; n++) users.push(await createUser(app, `crowd-${n}@example.com`));
    await allowAll(app, namespace, users);
    const tokens = [];
    for (const { id } of users) tokens.push(await tokenOf({ baseUrl, dev, id }));
    return tokens;
  }
}

async function createSignedIn(app, dev, n) {
  const user = { email: `pressure-${n}@example.com`, password: randomBytes(18).toString('base64url') };
  const { id } = await createUser(app, user.email, { password: user.password });
  const { access_token: token } = await signIn(dev, user);
  return { id, token };
}

async function createUser(app, email, more = {}) {
  const emails = [{ value: email, type: 'work', primary: true }];
  const json = { schemas: [SCHEMA], userName: email, emails, active: true, ...more };
  const { body } = await app.call('POST', '/passportsvc/api/v1/scim/Users', { json, expect: 201 });
  return body;
}

/** A token of the platform's own trusted application, for acting as a user (RFC 8693). */
async function tokenOf({ baseUrl, dev: { appId, appSecret }, id }) {
  const basic = Buffer.from(`${appId}:${appSecret}`).toString('base64');
  const { body } = await createCaller({ baseUrl }).call('POST', '/passportsvc/api/v1/oauth/token', {
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: TOKEN_EXCHANGE, subject: id }),
  });
  return body.access_token;
}

async function allowAll(app, namespace, users) {
  const grants = users.map(({ id }) => ({
    _namespace: namespace,
    _resourceDesc: { _irn: '*:*:*' },
    _user: { _type: 'user', _id: id },
    _actions: ['*'],
  }));
  await app.call('PUT', '/objectmodelsvc/api/v1/permissions', { json: grants, expect: 200 });
}
