import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, clientCredentials, createClient } from '@dtplatform/sdk';
import type { Report } from '@dtplatform/stack';
import { signIn } from '@dtplatform/stack/client';
import { startDemo } from '@dtplatform/stack/demo';
import { eventually } from '@dtplatform/testing';
import type { OwnStack } from './own-stack.js';

const MINUTES = 60_000;
const DAY_MS = 86_400_000;

/** What `npm start` seeds, as its user sees it. */
export function testDemo(own: OwnStack): void {
  describe('the demo', () => {
    const stopping = new AbortController();
    const warnings: string[] = [];
    const report: Report = {
      progress: () => undefined,
      ready: () => undefined,
      warn: (...line) => warnings.push(line.join()),
    };
    let demo: NonNullable<Awaited<ReturnType<typeof startDemo>>>;
    let client: Client;

    const start = (changed: object = {}) => {
      const { dev, backends } = own.stack;
      const options = { dev, mongoUrl: backends.mongoUrl, stateDir: own.stateDir, report, signal: stopping.signal };
      return startDemo({ ...options, ...changed });
    };
    beforeAll(async () => {
      demo = (await start())!;
      const auth = (await signIn(own.stack.dev, demo)).access_token;
      client = createClient({ baseUrl: own.stack.baseUrl, auth, namespace: demo.namespace });
    }, MINUTES);
    afterAll(() => stopping.abort());

    it('is seeded once, and only warns when it fails', async () => {
      expect(await start()).toEqual(demo);
      expect((await client.call('passportsvc.workspaces.list', {}))._list).toMatchObject([{ _name: 'Harbour Tower' }]);
      expect(warnings).toEqual([]);
      const elsewhere = { stateDir: `${own.stateDir}/mail`, dev: { ...own.stack.dev, appSecret: 'wrong' } };
      expect(await start(elsewhere)).toBeUndefined();
      expect(warnings).toEqual([expect.stringMatching(/^demo,./)]);
    });

    it('has rooms, runs of both outcomes, a dead letter with its reason, and a silent sensor', async () => {
      const query = { query: JSON.stringify({ _userType: 'rooms' }) };
      const [rooms] = (await client.call('itemsvc.items.list', { query }))._list;
      const path = { id: rooms!._id! };
      expect((await client.call('itemsvc.relatedItems.list', { path }))._total).toBe(40);
      const runs = (await client.call('datasourcesvc.runs.list', {}))._list.map(({ _status }) => _status);
      expect(runs).toEqual(expect.arrayContaining(['ERROR', 'COMPLETED']));
      await eventually(async () => {
        const { _list } = await client.call('itemsvc.deadLetters.list', { path: { id: demo.configId } });
        expect(_list).toMatchObject([{ _code: 'SCRIPT_FAILED', _reason: expect.stringContaining('no temperature') }]);
      });
      const silent = { query: JSON.stringify({ '_tsMetadata._sourceId': 'climate-303' }), sort: '{"_ts":-1}' };
      const readings = await client.call('itemsvc.readings.list', { path: { id: demo.sensorsId }, query: silent });
      expect(Date.now() - Date.parse(readings._list[0]!._ts!)).toBeGreaterThan(DAY_MS);
    });

    it('keeps receiving readings', async () => {
      const count = async () =>
        (await client.call('itemsvc.readings.list', { path: { id: demo.sensorsId }, query: { _pageSize: 0 } }))._total;
      const before = await count();
      await eventually(async () => expect(await count()).toBeGreaterThan(before));
    });

    it('has metrics of a month that add up to what is stored', async () => {
      stopping.abort();
      const { dev, baseUrl } = own.stack;
      const from = new Date(Date.now() - 20 * DAY_MS).toISOString();
      const query = { namespace: demo.namespace, 'period.from': from };
      const input = { path: { name: 'dtplatform.filesvc.FileCount' as const }, query };
      await eventually(async () => {
        const { metrics } = await client.call('metricsvc.metrics.series-of-query', input);
        expect(metrics[0]!.value).toBeGreaterThan(0);
        expect(metrics.at(-1)!.value).toBe(14);
      });
      const auth = clientCredentials({ baseUrl, clientId: dev.appId, clientSecret: dev.appSecret });
      const app = createClient({ baseUrl, auth });
      const body = { _namespace: demo.namespace };
      const { _id: id } = await app.call('metricsvc.reconciliations.create', { body });
      const reconciliation = await eventually(async () => {
        const read = await app.call('metricsvc.reconciliations.get', { path: { id } });
        expect(read._status).toBe('COMPLETED');
        return read;
      });
      expect(reconciliation).toMatchObject({ _namespaces: 1, _differing: {} });
    });
  });
}
