import { keepExamples, startPermissionStandIn, withHeaders } from '@dtplatform/testing';
import { createBrowser } from '../browser.js';
import { startApp } from '../start-app.js';
import { asApp, asUser, authorizeUrl, OAUTH_V1, requestToken } from '../tokens.js';
import type { Form } from '../tokens.js';

const API = '/passportsvc/api/v1';
const TASK_ID = '6b01e9fb590ff35d0952a9ce';

/** How long deliveries to SCIM servers are retried. */
export const GIVE_UP_SEC = 1;
/** The password of all users in the story. */
export const PASSWORD = 'choose a long password';
export const TOWER = 'tower_a1b2c3d4';

/** The task in itemsvc: tests/e2e/async-tasks.test.ts uses the real one. */
const TASK = {
  _id: TASK_ID,
  _reqBodySize: 48_210,
  _batchCompleted: 2,
  _progress: 40,
  _status: 'RUNNING',
  _timeTakenInSecs: 2,
  _namespaces: [TOWER],
};

export interface Client {
  id: string;
  secret: string;
  redirectUri: string;
}

export interface TestUser {
  id: string;
  userName: string;
}

export type Story = Awaited<ReturnType<typeof openStory>>;

/** A facility company on the platform: its app, users, teams and buildings. */
export async function openStory() {
  const permissions = await startPermissionStandIn('passportsvc:workspace:*', TOWER, {
    [`GET /itemsvc/api/v1/asynctasks/${TASK_ID}`]: TASK,
  });
  const app = withHeaders(
    await startApp({
      BOOTSTRAP_ORG_ID: 'harbour-facilities',
      BOOTSTRAP_ADMIN_EMAIL: 'admin@example.com',
      EGRESS_ALLOW: '127.0.0.1',
      SCIM_DELIVERY_GIVE_UP_SEC: String(GIVE_UP_SEC),
      ...{ ...permissions.environment, ITEMSVC_URL: permissions.url, FILESVC_URL: permissions.url },
    }),
  );
  const examples = keepExamples(new URL('../../', import.meta.url));
  examples.replace(app.url, 'https://twins.example.com');
  examples.replace(app.second.id, 'second-app');

  return {
    app,
    permissions,
    examples,
    taskId: TASK_ID,
    trusted: await asApp(app),
    admin: await asUser(app),
    keep: examples.keep,
    replace: examples.replace,
    /** @param path below `/passportsvc/api/v1` */
    send: (method: 'get' | 'post' | 'put' | 'patch', path: string, authorization: string, body?: object) => {
      const request = app.send(method, `${API}${path}`, authorization);
      return body === undefined ? request : request.send(body);
    },
    redeemCode: (client: Client, code: string, more: Form = {}) => {
      const form = { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri, ...more };
      return requestToken(app, form, client, OAUTH_V1).expect(200);
    },
    /** Signs a user in to an app in a browser, with consent. @returns the code */
    signIn: async ({ userName }: TestUser, { id, redirectUri }: Client, more: Form = {}) => {
      const url = authorizeUrl(app, { client_id: id, redirect_uri: redirectUri, ...more });
      const back = await createBrowser().signIn(url, { userName, password: PASSWORD }, redirectUri);
      return back.searchParams.get('code')!;
    },
    async stop() {
      await app.stop();
      await permissions.stop();
    },
  };
}
