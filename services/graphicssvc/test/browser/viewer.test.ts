import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';
import puppeteer from 'puppeteer-core';
import { FILESETS, startApp } from '../start-app.js';
import type { TestApp } from '../start-app.js';

const VIEWER = path.resolve(import.meta.dirname, '../../../../examples/viewer');
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };

describe('the example of a viewer', () => {
  let app: TestApp;
  let browser: Browser;
  let page: Page;
  const server = createServer((req, res) => {
    const name = req.url === '/' ? 'index.html' : path.basename(req.url!);
    readFile(path.join(VIEWER, name)).then(
      (content) => res.setHeader('content-type', TYPES[path.extname(name)]!).end(content),
      () => res.writeHead(404).end(),
    );
  });
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    app = await startApp({ CORS_ORIGINS: origin() });
    await app.startWorker();
    browser = await puppeteer.launch({
      executablePath: process.env.CHROMIUM!,
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser.close();
    await app.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const untilStatus = (text: string) =>
    page.waitForFunction(`document.querySelector('#status').textContent.includes('${text}')`, { timeout: 20_000 });

  it('reads a file set, and resumes after a lost connection', async () => {
    const authorization = await app.as('olga');
    const file = await app.loaded({ authorization }, { content: randomBytes(12 * 1024 * 1024) });
    const body = { _name: 'Tower', _namespaces: ['tower_1'], _fileIds: [file.id] };
    const set = await app.api.post(`${FILESETS}?nsfilter=tower_1`).set({ authorization }).send(body).expect(201);

    await page.goto(origin());
    await page.$eval('[name=baseUrl]', (input, url) => ((input as { value: string }).value = url), app.url);
    await page.type('[name=token]', authorization.replace('Bearer ', ''));
    await page.type('[name=nsfilter]', 'tower_1');
    await page.type('[name=fileSetId]', set.body._id as string);
    // The connection is lost as soon as there is something to resume.
    await page.evaluate(`new MutationObserver((_, observer) => {
      const [, received] = /: (\\d+) of/.exec(document.querySelector('#files').textContent) ?? [];
      if (!(received > 0)) return;
      observer.disconnect();
      document.querySelector('#disconnect').click();
    }).observe(document.querySelector('#files'), { subtree: true, childList: true, characterData: true })`);
    await page.click('form button');
    await untilStatus('Open again to resume.');
    await page.click('form button');
    await untilStatus('All files are complete.');
    expect(await page.$eval('#files', (element) => element.textContent)).toContain(
      `${file.content.length} of ${file.content.length} bytes, complete`,
    );
    const received = await page.evaluate(`(async () => {
      const { readFileSet } = await import('./stream.js');
      const files = new Map();
      const source = Object.fromEntries(new FormData(document.querySelector('form')));
      const { socket, done } = readFileSet(source, files, () => {});
      await done;
      socket.close();
      const [{ parts }] = files.values();
      const digest = await crypto.subtle.digest('SHA-256', await new Blob(parts).arrayBuffer());
      return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
    })()`);
    expect(received).toBe(createHash('sha256').update(file.content).digest('hex'));
  });
});
