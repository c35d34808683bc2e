import { randomBytes } from 'node:crypto';
import { clientCredentials, createCaller, signIn } from '@dtplatform/stack/client';

const USERS = 3;
const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** Users who may do everything in one namespace, a user who may not, and where they find the services. */
export async function createCallers({ baseUrl, dev, services }) {
  const { access_token: appToken } = await clientCredentials(dev);
  const app = createCaller({ baseUrl, token: appToken });
  const users = [];
  for (let n = 0; n <= USERS; n++) users.push(await createUser(app, dev, n));
  const [owner, ...others] = users;
  const stranger = others.pop();
  const workspace = await createCaller({ baseUrl, token: owner.token }).call('POST', '/passportsvc/api/v1/workspaces', {
    json: [{ _name: 'Pressure', _shortName: 'pressure' }],
    expect: 201,
  });
  const namespace = workspace.body._list[0]._namespaces[0];
  const grants = others.map(({ id }) => ({
    _namespace: namespace,
    _resourceDesc: { _irn: '*:*:*' },
    _user: { _type: 'user', _id: id },
    _actions: ['*'],
  }));
  await app.call('PUT', '/objectmodelsvc/api/v1/permissions', { json: grants, expect: 200 });
  const urls = Object.fromEntries(services.filter(({ url }) => url).map(({ name, url }) => [name, url]));
  return { namespace, urls, stranger: stranger.token, tokens: [owner, ...others].map(({ token }) => token) };
}

async function createUser(app, dev, n) {
  const user = { email: `pressure-${n}@example.com`, password: randomBytes(18).toString('base64url') };
  const emails = [{ value: user.email, type: 'work', primary: true }];
  const json = { schemas: [SCHEMA], userName: user.email, password: user.password, emails, active: true };
  const { body } = await app.call('POST', '/passportsvc/api/v1/scim/Users', { json, expect: 201 });
  const { access_token: token } = await signIn(dev, user);
  return { id: body.id, token };
}
