import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createItem, must } from '../support/resources.js';
import { openWorkspace } from './open-console.js';
import type { WorkspaceConsole } from './open-console.js';

const ITEMS = '/itemsvc/api/v1/nameduseritems';
const HOUR_MS = 3_600_000;

describe('the telemetry of the console', () => {
  let console: WorkspaceConsole;
  let collection: string;

  beforeAll(async () => {
    console = await openWorkspace();
    const { namespace } = console;
    const options = { token: console.user.token, query: { nsfilter: namespace } };
    const id = await createItem(console.user, namespace, {
      _itemClass: 'NamedTelemetryCollection',
      _name: 'Climate',
    });
    const sources = ['lobby', 'roof'];
    await must(201, 'POST', `${ITEMS}/${id}/relateditems`, {
      ...options,
      json: sources.map((_sourceId) => ({ _sourceId })),
    });
    const now = Date.now();
    const readings = sources.flatMap((_sourceId, n) =>
      Array.from({ length: 20 }, (_, hour) => ({
        _ts: now - hour * HOUR_MS - n * 48 * HOUR_MS,
        _tsMetadata: { _sourceId },
        celsius: 20 + hour,
      })),
    );
    await must(201, 'POST', `${ITEMS}/${id}/relateditems/readings`, { ...options, json: readings });
    collection = (await must(200, 'GET', `${ITEMS}/${id}`, options)).body._userItemId as string;
  });
  afterAll(() => console.close());

  it('creates a configuration, and shows which device is silent', async () => {
    await console.open(`${console.pages}/telemetry`);
    await console.click('Create a configuration');
    await console.fill('Name', 'Sensors');
    await console.choose('Telemetry collection', collection);
    await console.fill('Device type', 'climate');
    await console.fill('Type of the script', 'climate-script', 'combobox');
    expect(await console.barriers()).toEqual([]);
    await console.confirm('Create');
    await console.shows('Sources without a reading today: 1 of 2.');
    await console.choose('Period', 'week');
    await console.page.waitForSelector('[data-drawn] canvas');
    await console.click('Show as table');
    expect(await console.barriers()).toEqual([]);
  });

  it('tries a script on a sample message, and saves it', async () => {
    await console.click('Script', 'tab');
    await console.click('Try it on the sample message');
    await console.shows('Readings: 1');
    await console.click('Create the script');
    await console.shows('Saved.');
    expect(await console.barriers()).toEqual([]);
  });

  it('keeps a message that the script rejects, with the reason', async () => {
    const id = /telemetry\/(\w+)/.exec(console.page.url())![1]!;
    const path = `/itemsvc/api/v1/telemetryconfigs/${id}/messages`;
    const json = { deviceType: 'climate', device: 'roof', at: 'yesterday' };
    await must(202, 'POST', path, { token: console.user.token, query: { nsfilter: console.namespace }, json: [json] });
    await console.page.reload();
    await console.click('Dead letters (1)', 'tab');
    await console.click('Show');
    await console.shows('yesterday');
    expect(await console.barriers()).toEqual([]);
    await console.click('Close');
    await console.click('Delete all');
    await console.confirm('Delete all');
    await console.shows('There are no dead letters');
  });

  it('shows what fills the storage, and a metric over time', async () => {
    await console.open(`${console.pages}/metrics`);
    await console.click('Telemetry sources');
    await console.page.waitForSelector('[data-drawn] canvas');
    expect(await console.barriers()).toEqual([]);
    expect(console.faults).toEqual([]);
  });
});
