import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HTTPRequest } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openWorkspace } from './open-console.js';
import type { WorkspaceConsole } from './open-console.js';

const ROWS = 100_000;

describe('the items of the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  let console: WorkspaceConsole;

  beforeAll(async () => {
    console = await openWorkspace();
    await console.open(`${console.pages}/items`);
  });
  afterAll(async () => {
    await console.close();
    rmSync(folder, { recursive: true });
  });

  it('imports a spreadsheet of 100 000 rooms, and names the row that is wrong', async () => {
    const lines = Array.from({ length: ROWS }, (_, n) => `Room ${n},${n % 5},${n === 7 ? 'large' : n}`);
    const file = join(folder, 'rooms.csv');
    writeFileSync(file, ['name,floor,area', ...lines].join('\n'));
    await console.click('Create an item');
    await console.fill('Name', 'Rooms');
    await console.fill('Type', 'rooms');
    await console.click('Create');
    await console.click('Import a spreadsheet');
    const input = await console.page.waitForSelector('input[type=file]');
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(file);
    await console.shows('Room 4');
    await console.choose('Type of area', 'number');
    expect(await console.barriers()).toEqual([]);
    await console.click('Import');
    await console.page.waitForFunction("document.body.innerText.includes('The import is complete.')", {
      timeout: 120_000,
    });
    await console.shows('99,999 rows are imported, 1 are left out.');
    await console.page.keyboard.press('Escape');
  });

  it('scrolls through all of them, with the rows in view alone in the page', async () => {
    await console.shows('99,999 in total');
    // Rows that several processes store at once have no order of their own.
    await console.click('area');
    await console.shows('↑');
    await console.page.$eval('.rows', (rows) => rows.scrollTo(0, rows.scrollHeight));
    await console.shows('Room 99999');
    expect(await console.page.$$eval('tbody tr', (rows) => rows.length)).toBeLessThan(100);
    expect(await console.barriers()).toEqual([]);
  });

  it('scrolls to the last of two million rows, which are taller than browsers lay out', async () => {
    const { page } = console;
    await page.setRequestInterception(true);
    const respond = (request: HTTPRequest) => {
      const { searchParams } = new URL(request.url());
      const [offset, size] = ['_offset', '_pageSize'].map((name) => Number(searchParams.get(name)));
      if (!size || request.method() !== 'GET') return void request.continue();
      const _list = Array.from({ length: size }, (_, n) => ({ _id: `${offset! + n}`, name: `Row ${offset! + n + 1}` }));
      void request.respond({ contentType: 'application/json', body: JSON.stringify({ _list, _total: 2_000_000 }) });
    };
    page.on('request', respond);
    await page.reload();
    await console.shows('2,000,000 in total');
    await page.$eval('.rows', (rows) => rows.scrollTo(0, rows.scrollHeight));
    await console.shows('Row 2000000');
    await page.$eval('.rows', (rows) => rows.scrollTo(0, rows.scrollHeight / 2));
    await console.shows('Row 10000');
    page.off('request', respond);
    await page.setRequestInterception(false);
    await page.reload();
    await console.shows('99,999 in total');
  });

  it('finds items by a query that the address holds, and edits one', async () => {
    const { origin, pathname } = new URL(console.page.url());
    await console.page.goto(`${origin}${pathname}?query=${encodeURIComponent('{"name":"Room 12"}')}`);
    await console.shows('1 in total');
    await console.click('Save the query');
    await console.fill('Name', 'One room');
    await console.confirm('Save');
    await console.click('Clear the query');
    await console.shows('99,999 in total');
    await console.page.focus('input[type=date]');
    await console.page.keyboard.type('01012026');
    await console.shows('No entry matches the query.');
    await console.click('Clear the query');
    await console.click('One room', 'link');
    await console.shows('1 in total');
    await console.page.locator('tbody button').click();
    await console.page.locator('[role=dialog] textarea').fill('{"name":"Room 12","floor":3}');
    await console.confirm('Save');
    await console.shows('Room 12');
    expect(await console.barriers()).toEqual([]);
  });

  it('compares two versions', async () => {
    await console.click('Versions', 'tab');
    await console.click('Create a version');
    await console.page.locator('[role=dialog] input[type=checkbox]').click();
    await console.confirm('Create');
    await console.page.locator('input[aria-label="Select 1"]').click();
    await console.page.locator('input[aria-label="Select 2"]').click();
    await console.click('Compare');
    await console.shows('− {"name":"Room ');
    expect(await console.barriers()).toEqual([]);
    expect(console.faults).toEqual([]);
  });
});
