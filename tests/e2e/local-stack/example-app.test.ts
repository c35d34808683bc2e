import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import axe from 'axe-core';
import type { Browser, Page } from 'puppeteer-core';
import { launchChromium } from '../support/chromium.js';
import { enter, openWorkspace } from '../support/people.js';
import type { Person } from '../support/people.js';
import { devJsonFile, send } from '../support/platform.js';
import { createItem, must } from '../support/resources.js';
import { repositoryFile } from '../support/repository.js';

const run = promisify(execFile);
const APP = repositoryFile('examples/files-and-items');
const TYPES: Record<string, string> = {
  ...{ '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' },
};
const MIB = 1024 ** 2;
const MARKUP = '<img src=x onerror="document.title=1">';

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

describe('the example app, built by Vite', () => {
  let folder: string;
  let origin: string;
  let owner: Person;
  let namespace: string;
  let browser: Browser;
  let page: Page;
  const stops: (() => unknown)[] = [];
  /** Exceptions of the page, and violations of its content security policy. */
  const faults: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'dtplatform-example-'));
    stops.unshift(() => rm(folder, { recursive: true }));
    const built = path.join(folder, 'built');
    origin = await serve(built);
    [owner, browser] = await Promise.all([enter(), launchChromium(), buildApp(built)]);
    stops.unshift(() => browser.close());
    namespace = await openWorkspace(owner);
    page = await browser.newPage();
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      // Chromium reports each response above 399 as an error, too.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load')) faults.push(message.text());
    });
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  async function serve(built: string): Promise<string> {
    const server = createServer((req, res) => {
      const name = new URL(req.url!, 'http://localhost').pathname.replace(/\/$/, '/index.html');
      readFile(path.join(built, name)).then(
        (content) => res.setHeader('content-type', TYPES[path.extname(name)]!).end(content),
        () => res.writeHead(404).end(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stops.unshift(() => server.close().closeAllConnections());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Registers the app and builds it with the printed settings, as its README says. */
  async function buildApp(built: string): Promise<void> {
    const stateDir = path.resolve(path.dirname(devJsonFile));
    const { stdout } = await run('node', ['register.mjs', stateDir, origin], { cwd: APP });
    const settings = Object.fromEntries([...stdout.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
    await run('npx', ['vite', 'build', '--outDir', built], { cwd: APP, env: { ...process.env, ...settings } });
  }

  const until = (condition: string) => page.waitForFunction(condition, { timeout: 20_000 });
  const untilText = (selector: string, text: string) =>
    until(`document.querySelector(${JSON.stringify(selector)})?.textContent.includes(${JSON.stringify(text)})`);
  const textsOf = (selector: string) =>
    page.$$eval(selector, (elements) => elements.map(({ textContent }) => textContent));
  const choose = async (file: string) => (await page.$('#picker'))!.uploadFile(file);

  /** Accessibility problems of the open page, in both colour schemes. */
  async function barriers(): Promise<string[]> {
    await page.evaluate(axe.source);
    const found: string[] = [];
    for (const value of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
      const result = (await page.evaluate('axe.run()')) as axe.AxeResults;
      found.push(...result.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${value}: ${id}: ${html}`)));
    }
    return found;
  }

  it("signs a user in on the platform's page, and stays signed in", async () => {
    await page.goto(`${origin}/`);
    await page.waitForSelector('#sign-in:not([hidden])');
    expect(await barriers()).toEqual([]);
    await page.click('#begin');
    await page.waitForSelector('input[name=username]');
    await page.type('input[name=username]', owner.email);
    await page.type('input[name=password]', owner.password);
    await Promise.all([page.waitForNavigation(), page.click('form button')]);
    await untilText('#files .status', 'Nothing found.');
    expect(await textsOf('#user')).toEqual([owner.email]);
    expect(await textsOf('#workspace option')).toEqual(['E2E']);
    expect(new URL(page.url()).search).toBe('');
    await page.reload();
    await untilText('#files .status', 'Nothing found.');
  });

  const upload = () =>
    must(200, 'GET', '/filesvc/api/v1/files', { token: owner.token, query: { nsfilter: namespace } }).then(
      ({ body }) => body._list[0]?._id as string,
    );
  const storedBytes = async (id: string) => {
    const query = { nsfilter: namespace, uploadType: 'resumable' };
    const { headers } = await send('HEAD', `/filesvc/api/v1/files/${id}`, { token: owner.token, query });
    return Number(headers.get('upload-offset'));
  };

  it('pauses an upload, and resumes it after the page was closed', async () => {
    const file = path.join(folder, 'tower.ifc');
    const content = randomBytes(20 * MIB);
    await writeFile(file, content);
    await page.emulateNetworkConditions({ upload: 6 * MIB, download: 6 * MIB, latency: 0 });
    await choose(file);
    // In the page, so that nothing is sent in between.
    await until(`(() => {
      const isFarEnough = document.querySelector('#uploads progress')?.value > 0.6;
      if (isFarEnough) document.querySelector('#uploads .pause').click();
      return isFarEnough;
    })()`);
    await untilText('#uploads .state', 'Paused');
    expect(await page.$eval('#uploads progress', (bar) => (bar as unknown as { value: number }).value)).toBeLessThan(1);
    const id = await upload();
    await eventually(async () => expect(await storedBytes(id)).toBeGreaterThan(0));

    await page.emulateNetworkConditions(null);
    await page.reload();
    await untilText('#files .status', 'One entry.');
    const offsets: number[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']));
    });
    await choose(file);
    await untilText('#uploaded', 'tower.ifc is uploaded.');
    expect(offsets[0]).toBeGreaterThan(0);
    await untilText('.files .name', 'tower.ifc');
    expect(await upload()).toBe(id);

    await mkdir(path.join(folder, 'downloads'));
    const downloads = await browser.target().createCDPSession();
    const behavior = { behavior: 'allow', downloadPath: path.join(folder, 'downloads'), eventsEnabled: true } as const;
    await downloads.send('Browser.setDownloadBehavior', behavior);
    const isComplete = new Promise<void>((resolve) => {
      downloads.on('Browser.downloadProgress', ({ state }) => state === 'completed' && resolve());
    });
    await page.click('.files .download');
    await isComplete;
    expect(sha256(await readFile(path.join(folder, 'downloads/tower.ifc')))).toBe(sha256(content));
  });

  it("queries the items of a collection, and shows a query's errors", async () => {
    const rooms = await createItem(owner, namespace);
    const json = Array.from({ length: 60 }, (_, index) => ({ name: `Room ${index}`, floor: index % 2, note: MARKUP }));
    const query = { nsfilter: namespace };
    const request = { token: owner.token, query, json };
    await must(201, 'POST', `/itemsvc/api/v1/nameduseritems/${rooms}/relateditems`, request);
    await page.click('#to-items');
    await page.waitForSelector('#collections a');
    await page.click('#collections a');
    await untilText('#collection .status', 'The first 25 are shown.');
    expect(await textsOf('.results th')).toEqual(['name', 'floor', 'note']);
    expect(await textsOf('.results tr:nth-child(2) td')).toEqual(['Room 1', '1', MARKUP]);
    for (const text of ['The first 50 are shown.', '60 entries.']) {
      await page.click('.results .more');
      await untilText('#collection .status', text);
    }

    await page.$eval('#query', (field) => ((field as unknown as { value: string }).value = ''));
    await page.type('#query', '{"floor": 1, "name": {"$in": ["Room 1", "Room 2", "Room 3"]}}');
    await page.click('#collection form button');
    await untilText('#collection .status', '2 entries.');
    expect(await textsOf('.results td:first-child')).toEqual(['Room 1', 'Room 3']);

    await page.$eval('#query', (field) => ((field as unknown as { value: string }).value = ''));
    await page.type('#query', '{"floor": {"$near": 1}}');
    await page.click('#collection form button');
    await untilText('#query-problem', '$near is not allowed.');
    await page.waitForSelector('#query[aria-invalid=true]');
    expect(await textsOf('.results .status')).toEqual(['']);
    expect(await barriers()).toEqual([]);
  });

  it('signs the user out, and returns', async () => {
    await page.click('#sign-out');
    await untilText('h1', 'Sign out?');
    await Promise.all([page.waitForNavigation(), page.click('form button')]);
    await page.waitForSelector('#sign-in:not([hidden])');
    expect(faults).toEqual([]);
  });
});
