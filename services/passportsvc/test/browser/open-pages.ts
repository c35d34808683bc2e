import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser, Page } from 'puppeteer-core';
import puppeteer from 'puppeteer-core';
import { startApp } from '../start-app.js';
import type { TestApp } from '../start-app.js';
import { authorizeUrl } from '../tokens.js';
import type { Form } from '../tokens.js';
import { AUDIT, FOCUS } from './audit.js';

const SCREENSHOTS = path.resolve(import.meta.dirname, '../../screenshots');
const DESKTOP = { width: 800, height: 720 };
const MAX_PICTURE_HEIGHT = 1000;
const PHONE = { width: 360, height: 740, isMobile: true, hasTouch: true };

interface BrowserTest {
  app: TestApp;
  browser: Browser;
  /** Where the app receives codes. */
  redirectUri: string;
  page: Page;
}

/** Starts the application and Chromium for the tests of a file. `WRITE_SCREENSHOTS=1` writes pictures into `screenshots/`. */
export function usePages() {
  const test = {} as BrowserTest;
  const stops: (() => Promise<unknown>)[] = [];
  const client = createServer((_req, res) =>
    res.setHeader('content-type', 'text/html').end('<h1>The application</h1>'),
  );

  beforeAll(async () => {
    await new Promise<void>((resolve) => client.listen(0, '127.0.0.1', resolve));
    test.redirectUri = `http://127.0.0.1:${(client.address() as AddressInfo).port}/callback`;
    test.app = await startApp({ BOOTSTRAP_REDIRECT_URI: test.redirectUri });
    stops.unshift(() => test.app.stop());
    test.browser = await puppeteer.launch({
      executablePath: process.env.CHROMIUM!,
      // Opens our own pages only, and root has no sandbox.
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--force-color-profile=srgb', '--font-render-hinting=none'],
    });
    stops.unshift(() => test.browser.close());
    if (process.env.WRITE_SCREENSHOTS) await mkdir(SCREENSHOTS, { recursive: true });
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
    client.closeAllConnections();
    await new Promise((resolve) => client.close(resolve));
  });

  /** Opens a window without cookies and without scripts. */
  async function newWindow(): Promise<Page> {
    test.page = await (await test.browser.createBrowserContext()).newPage();
    await test.page.setJavaScriptEnabled(false);
    // Otherwise the system decides which window has the focus, and an outline appears late or never.
    await test.page.emulateFocusedPage(true);
    await test.page.setViewport(DESKTOP);
    return test.page;
  }

  const focus = () => test.page.evaluate(FOCUS) as Promise<{ name: string; value: string; isVisible: boolean }>;

  /** Moves the focus with the tab key to a control; checks that every stop is visible. */
  async function tabTo(name: string, value = ''): Promise<void> {
    for (let stops = 0; stops < 40; stops++) {
      const at = await focus();
      if (at.name === name && (!value || at.value === value)) {
        expect(at).toMatchObject({ isVisible: true });
        return;
      }
      await test.page.keyboard.press('Tab');
    }
    throw new Error(`the tab key does not reach ${name} at ${test.page.url()}`);
  }

  /** Presses enter and waits for the next page. */
  async function enter(): Promise<void> {
    await Promise.all([test.page.waitForNavigation(), test.page.keyboard.press('Enter')]);
  }

  /** Replaces the text of an input that the tab key reaches. */
  async function fill(name: string, text: string): Promise<void> {
    await tabTo(name);
    await test.page.keyboard.down('Control');
    await test.page.keyboard.press('A');
    await test.page.keyboard.up('Control');
    await test.page.keyboard.type(text);
  }

  async function press(name: string, value = ''): Promise<void> {
    await tabTo(name, value);
    await enter();
  }

  /** Audits the page on a desktop and a phone, light and dark, and keeps some screenshots. */
  async function audit(name: string): Promise<void> {
    const findings: Record<string, unknown> = {};
    for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
      await test.page.setViewport(viewport);
      for (const scheme of ['light', 'dark']) {
        await test.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        const found = (await test.page.evaluate(AUDIT)) as string[];
        if (found.length > 0) findings[`${name} ${size} ${scheme}`] = found;
        const isKept = size === 'desktop' ? scheme === 'light' : scheme === 'dark';
        if (isKept) await keep(`${name}-${size}-${scheme}`, size === 'phone');
      }
    }
    await test.page.emulateMediaFeatures([]);
    await test.page.setViewport(DESKTOP);
    expect(findings).toEqual({});
  }

  /** @param isWhole include what is below the first screen, up to a limit */
  async function keep(name: string, isWhole: boolean): Promise<void> {
    if (!process.env.WRITE_SCREENSHOTS) return;
    const [width, shown, whole] = (await test.page.evaluate(
      '[innerWidth, innerHeight, document.documentElement.scrollHeight]',
    )) as [number, number, number];
    const height = isWhole ? Math.min(whole, MAX_PICTURE_HEIGHT) : shown;
    const file = path.join(SCREENSHOTS, `${name}.png`) as `${string}.png`;
    await test.page.screenshot({ path: file, clip: { x: 0, y: 0, width, height } });
  }

  return {
    test,
    newWindow,
    tabTo,
    fill,
    press,
    audit,
    openSignIn: (more: Form = {}) =>
      test.page.goto(authorizeUrl(test.app, { redirect_uri: test.redirectUri, ...more }).href),
    heading: () => test.page.$eval('h1', (element) => element.textContent),
    text: () => test.page.$eval('main', (element) => element.textContent.replaceAll(/\s+/g, ' ')),
  };
}
