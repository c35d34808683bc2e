import puppeteer from 'puppeteer-core';
import type { Browser } from 'puppeteer-core';
import { dev } from './platform.js';
import { repositoryFile } from './repository.js';

export async function launchChromium(): Promise<Browser> {
  const finder = (await import(repositoryFile('tools/browser/find-chromium.mjs'))) as {
    findChromium(): Promise<string>;
  };
  return puppeteer.launch({
    executablePath: await finder.findChromium(),
    // It opens only our pages, and root has no sandbox.
    // A cluster of the tests may have no certificate, but pages need a secure origin for digests.
    args: [
      ...['--no-sandbox', '--disable-dev-shm-usage'],
      `--unsafely-treat-insecure-origin-as-secure=${new URL(dev.baseUrl).origin}`,
    ],
  });
}
