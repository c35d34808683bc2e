import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { createBrowser, formOf } from './browser.js';
import { REDIRECT_URI, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { authorizeUrl, codeFor, redeem } from './tokens.js';
import type { Form } from './tokens.js';

export const API = '/passportsvc/api/v1';
export const CONSENTS = `${API}/users/me/consents`;
export const ORIGIN = new URL(REDIRECT_URI).origin;

/** State of the tests of consents. Each test starts without consents. */
interface ConsentTest {
  app: TestApp;
  /** An app of another organization than the administrator's. */
  second: { id: string; secret: string };
  /** A browser in which the administrator is signed in. */
  browser: ReturnType<typeof createBrowser>;
}

export function useConsents() {
  const test = {} as ConsentTest;
  const collection = (name: string) => test.app.deps.mongo.db.collection<{ _id: string; expiresAt?: Date }>(name);
  const url = (more: Form = {}) => authorizeUrl(test.app, { client_id: test.second.id, ...more });

  /** Opens the consent page in the signed-in browser. */
  async function openPage(more: Form = {}) {
    const { reply, url: at } = await test.browser.open(url(more), REDIRECT_URI);
    const html = await reply.text();
    return { reply, html, at, form: formOf(html)!, action: new URL(formOf(html)!.action, at) };
  }

  async function decide(decision: string, more: Form = {}) {
    const { form, action } = await openPage(more);
    const sent = await test.browser.post(action, { ...form.hidden, decision });
    return new URL((await test.browser.get(sent.headers.get('location')!)).headers.get('location')!);
  }

  beforeAll(async () => {
    test.app = await startApp();
    const { appId: id, appSecret: secret } = test.app.dev.second;
    test.second = { id, secret };
  });
  beforeEach(async () => {
    await collection('consents').deleteMany({});
    test.browser = createBrowser();
    await codeFor(test.app, {}, test.browser);
  });
  afterAll(() => test.app.stop());

  return {
    test,
    collection,
    url,
    openPage,
    decide,
    list: (authorization: string, query: object = {}) =>
      test.app.send('get', CONSENTS, authorization).query(query).expect(200),
    revoke: (authorization: string, id = test.second.id) => test.app.send('delete', `${CONSENTS}/${id}`, authorization),
    tokensOf: async (code: string) => (await redeem(test.app, code, {}, test.second).expect(200)).body,
  };
}
