import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import axe from 'axe-core';
import type { Browser, HTTPRequest, Page } from 'puppeteer-core';
import puppeteer from 'puppeteer-core';
import { silentLogger } from '@dtplatform/logging';
import { createSiteApp } from '../../src/server/site-app.js';

const SIZES = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 360, height: 740, isMobile: true, hasTouch: true },
};
const DIST = new URL('../../dist/', import.meta.url);
const PAGES = [
  '/docs/',
  '/docs/packages/',
  '/docs/reference/',
  '/docs/reference/filesvc/files',
  '/docs/reference/filesvc/files/update',
];

/** Readability of the open page; runs in the browser. */
const READABLE = String.raw`(() => {
  const [root] = [document.documentElement];
  const rgb = (color) => color.match(/[\d.]+/g).slice(0, 3).map(Number);
  const { color } = getComputedStyle(document.querySelector('h1'));
  const { backgroundColor } = getComputedStyle(document.body);
  const bright = ([red, green, blue]) => red + green + blue > 382;
  return {
    headings: document.querySelectorAll('h1').length,
    sideways: Math.max(0, root.scrollWidth - innerWidth),
    isDark: !bright(rgb(backgroundColor)),
    contrasts: bright(rgb(color)) !== bright(rgb(backgroundColor)),
  };
})()`;

/** Code groups with their tabs, the selected tab and the visible one; runs in the browser. */
const CODE_GROUPS = String.raw`[...document.querySelectorAll('.vp-code-group')].map((group) => {
  const tabs = [...group.querySelectorAll('label')].map((label) => label.textContent);
  const isShown = (_, index) => group.querySelectorAll('.blocks > *')[index].offsetHeight > 0;
  return { tabs, chosen: group.querySelector('input:checked + label').textContent, shown: tabs.filter(isShown) };
})`;

describe('the documentation site', () => {
  let server: Server;
  let url: string;
  let browser: Browser;
  let page: Page;
  /** Errors while pages are open, such as violations of the content security policy. */
  let faults: string[];

  beforeAll(async () => {
    server = createSiteApp({ content: DIST, log: silentLogger() }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await puppeteer.launch({
      executablePath: process.env.CHROMIUM!,
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb'],
    });
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });
  beforeEach(async () => {
    page = await (await browser.createBrowserContext()).newPage();
    await page.setViewport(SIZES.desktop);
    faults = [];
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('response', (reply) => reply.status() >= 400 && faults.push(`${reply.status()} ${reply.url()}`));
    page.on('requestfailed', (request) => faults.push(`${request.failure()?.errorText} ${request.url()}`));
  });

  const open = (path: string) => page.goto(`${url}${path}`, { waitUntil: 'networkidle0' });
  async function violations() {
    await page.waitForFunction('document.getAnimations().length === 0');
    await page.evaluate(axe.source);
    const result = (await page.evaluate('axe.run("#VPContent")')) as axe.AxeResults;
    return result.violations.map(({ id, nodes }) => [id, page.url(), nodes.map(({ html }) => html).slice(0, 3)]);
  }
  const textOf = (selector: string) => page.$eval(selector, (element) => element.textContent);

  const prefer = (scheme: 'dark' | 'light') =>
    page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);

  it.each(Object.entries(SIZES))('is readable on a %s, dark and light', async (_size, viewport) => {
    await page.setViewport(viewport);
    const expected = { headings: 1, sideways: 0, contrasts: true };
    const found: unknown[] = [];
    for (const path of PAGES) {
      await prefer('dark');
      await open(path);
      expect(await page.evaluate(READABLE)).toEqual({ ...expected, isDark: true });
      await prefer('light');
      await page.waitForFunction('!document.documentElement.classList.contains("dark")');
      expect(await page.evaluate(READABLE)).toEqual({ ...expected, isDark: false });
      await page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
      found.push(...(await violations()));
    }
    expect(found).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('finds a word and opens the result', async () => {
    await open('/docs/');
    await page.keyboard.press('/');
    await page.waitForSelector('.search-input');
    await page.type('.search-input', 'filesvc.uploads.append');
    await page.locator('.results .result ::-p-text(Upload content from the current offset)').click();
    await page.waitForFunction('location.pathname === "/docs/reference/filesvc/uploads/append"');
    await page.waitForFunction('document.querySelector("h1")?.textContent.startsWith("Upload content")');
    expect(faults).toEqual([]);
  });

  it.each([
    ['share a file', '/docs/guides/first-app'],
    ['install sdk', '/docs/packages/'],
    ['schedule', '/docs/reference/datasourcesvc/orchestrators'],
  ])('finds "%s"', async (words, path) => {
    await open('/docs/');
    await page.keyboard.press('/');
    await page.waitForSelector('.search-input');
    await page.type('.search-input', words);
    await page.waitForSelector('.results .result');
    const paths = await page.$$eval('.results a.result', (links) => links.map((link) => new URL(link.href).pathname));
    expect(paths.slice(0, 3)).toContain(path);
  });

  it('shows the address of the platform that serves it', async () => {
    await open('/docs/packages/');
    expect(await textOf('table')).toContain(`npm install ${url}/packages/sdk.tgz`);
    await open('/docs/guides/install');
    expect(await textOf('main')).toContain('https://twins.example.com');
  });

  it('leads a reader to an operation', async () => {
    await page.setViewport(SIZES.phone);
    await open('/docs/reference/');
    await page.locator('main a[href="/docs/reference/filesvc/files"]').click();
    await page.waitForFunction('location.pathname === "/docs/reference/filesvc/files"');
    await page.locator('main ::-p-text(Read a file or folder)').click();
    await page.waitForFunction('location.pathname === "/docs/reference/filesvc/files/get"');
    await page.waitForFunction(
      'document.querySelector(".operation")?.textContent === "GET /filesvc/api/v1/files/{id}"',
    );
    expect(faults).toEqual([]);
  });

  it('shows a guide for the selected program', async () => {
    await open('/docs/guides/first-app');
    const groups = () => page.evaluate(CODE_GROUPS) as Promise<{ tabs: string[]; chosen: string; shown: string[] }[]>;
    expect((await groups()).length).toBeGreaterThan(10);
    for (const name of ['CLI', 'SDK', 'curl']) {
      await page.locator(`.vp-code-group label::-p-text(${name})`).click();
      // A group without this tab stays as it is.
      for (const { tabs, chosen, shown } of await groups()) {
        if (tabs.some((tab) => tab.includes(name))) expect(chosen).toContain(name);
        expect(shown).toEqual([chosen]);
      }
    }
    expect(faults).toEqual([]);
  });

  it('sends a call from the page of an operation, and shows the response', async () => {
    await page.setViewport(SIZES.phone);
    await page.setRequestInterception(true);
    const calls: object[] = [];
    const answer = async (request: HTTPRequest) => {
      const { pathname, search } = new URL(request.url());
      if (!pathname.startsWith('/filesvc/')) return request.continue();
      const [method, target, body] = [request.method(), pathname + search, await request.fetchPostData()];
      calls.push({ method, target, body, ...request.headers() });
      return request.respond({ status: 200, contentType: 'application/json', body: '{"_name":"<b>plan</b>"}' });
    };
    page.on('request', (request) => void answer(request));
    await open('/docs/reference/filesvc/files/update');
    await page.locator('.try-it summary').click();
    const field = (name: string) => page.locator(`.try-it ::-p-aria([name="${name}"])`);
    await field('Access token').fill('token-1');
    await field('id').fill('a/b');
    await field('If-Match').fill('"3"');
    await page.locator('.try-it textarea').fill('{"_name":"plan"}');
    await page.locator('.try-it button[type=submit]').click();
    await page.waitForSelector('.try-it pre');
    expect(calls).toEqual([
      expect.objectContaining({
        ...{ method: 'PUT', target: '/filesvc/api/v1/files/a%2Fb?nsfilter=tower_1', body: '{"_name":"plan"}' },
        ...{ authorization: 'Bearer token-1', 'if-match': '"3"', 'content-type': 'application/json' },
        prefer: 'handling=strict',
      }),
    ]);
    expect(await textOf('.try-it [role=status]')).toMatch(/^200/);
    expect(await textOf('.try-it pre')).toMatch(/^content-type: application\/json$[^]*^ {2}"_name": "<b>plan<\/b>"$/m);
    expect(await violations()).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('reports a missing page', async () => {
    await open('/docs/nothing');
    expect(await textOf('h1')).toBe('PAGE NOT FOUND');
    // Only the page itself is missing.
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
  });
});
