import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type * as Sdk from '@dtplatform/sdk';
import { eventually } from '@dtplatform/testing';
import { build } from 'esbuild';
import type { Browser, Page } from 'puppeteer-core';
import { launchChromium } from '../support/chromium.js';
import { createAccount, enter, openWorkspace, trustedToken } from '../support/people.js';
import type { Account } from '../support/people.js';
import { dev } from '../support/platform.js';
import { must } from '../support/resources.js';

const PAGE = `<!doctype html><title>App</title><script type="module">
  import * as sdk from '/sdk.js';
  globalThis.sdk = sdk;
  globalThis.isLoaded = true;
</script>`;

/** Globals of the page; functions for `evaluate` use these names. */
declare const sdk: typeof Sdk;
declare const client: Sdk.Client;
declare const session: Sdk.Session;
declare const location: { href: string; origin: string };

describe('the SDK in Chromium', () => {
  let browser: Browser;
  let page: Page;
  let origin: string;
  let account: Account;
  let appId: string;
  let namespace: string;
  const stops: (() => unknown)[] = [];

  beforeAll(async () => {
    const files = await bundle();
    const server = createServer((req, res) => {
      const script = files.get(req.url ?? '');
      res.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
      res.end(script ?? PAGE);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    stops.unshift(() => server.close().closeAllConnections());
    account = await createAccount();
    appId = await registerApp(origin);
    browser = await launchChromium();
    stops.unshift(() => browser.close());
    page = await openTab();
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  /** Opens the page, with a session and a client of the SDK. */
  async function openTab(): Promise<Page> {
    const tab = await browser.newPage();
    await tab.goto(`${origin}/`);
    await prepare(tab);
    return tab;
  }

  async function prepare(tab: Page): Promise<void> {
    await tab.waitForFunction('globalThis.isLoaded');
    await tab.evaluate(
      (baseUrl, clientId, namespace) => {
        const session = sdk.createSession({ baseUrl, clientId, redirectUri: `${location.origin}/` });
        Object.assign(globalThis, { session, client: sdk.createClient({ baseUrl, auth: session, namespace }) });
      },
      ...([dev.baseUrl, appId, namespace] as const),
    );
  }

  it('signs a user in, and returns to the page', async () => {
    await page.evaluate(() => void sdk.signInOnPage(session));
    await page.waitForSelector('input[name=username]');
    await page.type('input[name=username]', account.email);
    await page.type('input[name=password]', account.password);
    await Promise.all([page.waitForNavigation(), page.click('button[type=submit], form button')]);
    await page.waitForFunction('globalThis.isLoaded');
    expect(page.url()).toContain('code=');
    await prepare(page);
    await page.evaluate(() => sdk.signInOnPage(session));
    expect(await page.evaluate(() => location.href)).toBe(`${origin}/`);
    expect(await page.evaluate(() => client.call('passportsvc.users.me'))).toMatchObject({ _id: account.id });
    namespace = await openWorkspace({ ...account, token: await page.evaluate(() => session.token()) });
    await prepare(page);
  });

  it('shares the session with other tabs, which renew it once', async () => {
    const other = await openTab();
    await page.evaluate(async (appId) => {
      const store = sdk.browserStore(`dtplatform:${client.baseUrl}:${appId}`);
      const tokens = JSON.parse((await store.get('tokens'))!) as object;
      await store.set('tokens', JSON.stringify({ ...tokens, renewAt: 0 }));
    }, appId);
    const tokens = await Promise.all([page, other].map((tab) => tab.evaluate(() => session.token())));
    expect(tokens[1]).toBe(tokens[0]);
    expect(await other.evaluate(() => client.call('passportsvc.users.me'))).toMatchObject({ _id: account.id });
    await other.close();
  });

  it('signs the user out of all tabs', async () => {
    const other = await openTab();
    await page.evaluate(() => session.signOut());
    expect(await other.evaluate(() => session.isSignedIn())).toBe(false);
    await other.close();
  });
});

/** The SDK bundled for browsers, by the path of each file. */
async function bundle(): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    stdin: { contents: "export * from '@dtplatform/sdk'", resolveDir: import.meta.dirname, sourcefile: 'sdk.js' },
    ...{ bundle: true, format: 'esm', splitting: true, write: false, conditions: ['dtplatform-source'] },
    ...{ outdir: '/', entryNames: 'sdk' },
  });
  return new Map(outputFiles.map(({ path: file, text }) => [`/${path.basename(file)}`, text]));
}

/** Registers an app for pages of an origin, and waits until the platform allows the origin. */
async function registerApp(origin: string): Promise<string> {
  const owner = await enter();
  const json = {
    ...{ _name: `sdk-${randomBytes(4).toString('hex')}`, _appOwner: owner.email, _orgId: dev.orgId },
    ...{ _redirectUris: `${origin}/`, _authorizedOrigins: origin },
  };
  const { body } = await must(201, 'POST', '/passportsvc/api/v1/apps', { token: await trustedToken(), json });
  await eventually(
    async () => {
      for (const service of ['passportsvc', 'filesvc']) {
        const response = await fetch(`${dev.baseUrl}/${service}/api/v1/none`, { headers: { origin } });
        expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      }
    },
    { timeoutMs: 30_000 },
  );
  return body._id as string;
}
