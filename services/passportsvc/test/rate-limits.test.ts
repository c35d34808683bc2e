import { beforeAll, expect, it } from '@jest/globals';
import { appClient, APPS } from './app-client.js';
import type { AppClient } from './app-client.js';
import { newUser } from './page-client.js';
import { useApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

const ME = '/passportsvc/api/v1/users/me';
const USERS = '/passportsvc/api/v1/scim/Users';

const app = useApp({ RATE_LIMIT_PER_USER: '3', RATE_LIMIT_PER_APP: '5' });
let client: AppClient;

beforeAll(async () => {
  client = await appClient(app);
});

const newApp = async () => {
  const credentials = await client.createApp();
  const signIn = async () => asUser(app, await newUser(app), credentials);
  return { credentials, signIn };
};
const read = (path: string, authorization: string, { api }: Pick<TestApp, 'api'> = app) =>
  api.get(path).set({ authorization });

it('limits the requests of a user across all processes', async () => {
  const { signIn } = await newApp();
  const user = await signIn();
  const replica = await app.startInstance();
  const { headers } = await read(ME, user).expect(200);
  expect(headers.ratelimit).toMatch(/^"user"; r=2; t=\d+, "app"; r=4; t=\d+$/);
  expect(headers['ratelimit-policy']).toMatch(/^"user"; q=3; w=60; pk=:.+:, "app"; q=5; w=60; pk=:.+:$/);
  await read(ME, user, replica).expect(200);
  await read(ME, user).expect(200);
  for (const process of [app, replica]) {
    const rejected = await read(ME, user, process).expect(429);
    expect(rejected.body).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' });
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(rejected.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(rejected.headers.ratelimit).toMatch(/^"user"; r=0; /);
  }
  // Rejected requests do not count for the app.
  expect((await read(ME, await signIn()).expect(200)).headers.ratelimit).toContain('"app"; r=1;');
});

it('limits the requests of an app, including those of its users', async () => {
  const { credentials, signIn } = await newApp();
  const own = await asApp(app, credentials);
  for (let n = 0; n < 3; n++) await read(APPS, own).expect(200);
  const user = await signIn();
  for (let n = 0; n < 2; n++) await read(ME, user).expect(200);
  await read(ME, user).expect(429);
  const rejected = await read(USERS, own).expect(429);
  expect(rejected.headers['content-type']).toContain('application/scim+json');
  expect(rejected.body).toMatchObject({ schemas: [expect.stringContaining('Error')], status: '429' });
  await read(ME, await (await newApp()).signIn()).expect(200);
});

it('does not limit trusted clients', async () => {
  for (let n = 0; n < 10; n++)
    expect((await read(APPS, client.trusted).expect(200)).headers).not.toHaveProperty('ratelimit');
});
