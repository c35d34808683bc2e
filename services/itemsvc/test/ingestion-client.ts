import { createOutbox, createTotals } from '@dtplatform/queue';
import { createIngestion } from '../src/messages/ingestion.js';
import { createIngestionStore } from '../src/messages/ingestion.store.js';
import type { IngestionStore } from '../src/messages/ingestion.store.js';
import type { Scripts } from '../src/messages/message.js';
import { createReadingStore } from '../src/readings/readings.store.js';
import { doors, ITEMS, NS } from './item-client.js';
import type { TestApp } from './start-app.js';
import { CONFIGS, telemetryClient } from './telemetry-client.js';

/** When the messages of tests begin. */
export const T0 = Date.UTC(2026, 0, 1);
export const NORMALIZE = `
  function normalize({ device, at, values }) {
    if (device === 'broken') throw new Error('no such device');
    if (device === 'endless') for (;;);
    if (device === 'silent') return null;
    return values.map((value, n) => ({ _ts: at + n, _tsMetadata: { _sourceId: device }, value }));
  }`;

let count = 0;

/** What a device sends. */
export const message = (device: string, values: unknown[] = [1], more: object = {}) => ({
  deviceType: 'thermo',
  device,
  at: T0,
  values,
  ...more,
});

/** Calls for messages by one caller. @param caller set before the first call */
export function ingestionClient(caller: () => { app: TestApp; owner: { authorization: string } }) {
  const telemetry = telemetryClient(caller);
  const { send, createConfig } = telemetry;

  const create = async (more: object, nsfilter = NS) =>
    (
      await caller()
        .app.api.post(ITEMS)
        .query({ nsfilter })
        .set(caller().owner)
        .send([doors(more)])
        .expect(201)
    ).body._list[0];
  /** A collection with the telemetry items a and b, a script, and a configuration that binds them. */
  const installation = async ({
    script = NORMALIZE,
    tsProperties = {},
    bindings = [],
  }: { script?: string | object | null; tsProperties?: object; bindings?: object[] } = {}) => {
    const _userType = `normalize_${(count += 1)}`;
    const collection = await create({ _itemClass: 'NamedTelemetryCollection', _tsProperties: tsProperties });
    await send('post', `${ITEMS}/${collection._id}/relateditems`)
      .send([{ _sourceId: 'a' }, { _sourceId: 'b' }])
      .expect(201);
    if (script !== null) await create({ _itemClass: 'Script', _userType, _version: { _userData: script } });
    const bind = { collectionDesc: { _userItemId: collection._userItemId }, query: { deviceType: 'thermo' } };
    const config = await createConfig({
      _configData: { _bindings: [...bindings, bind], _normalizationScript: { _userType } },
    });
    return { collection, config, _userType };
  };
  const post = (configId: string, body: unknown, by = caller().owner) =>
    send('post', `${CONFIGS}/${configId}/messages`, { nsfilter: NS }, by).send(body as object);
  const readings = async (id: string) =>
    (await send('get', `${ITEMS}/${id}/relateditems/readings`, { nsfilter: NS, _pageSize: 1000 }).expect(200)).body
      ._list;
  const letters = async (configId: string, query: object = {}) =>
    (await send('get', `${CONFIGS}/${configId}/deadletters`, { nsfilter: NS, ...query }).expect(200)).body;
  /** Ingestion without a worker. */
  const ingestionWith = (scripts: Scripts, change = (store: IngestionStore) => store) => {
    const { mongo, log } = caller().app.deps;
    const readingStore = createReadingStore({ mongo, outbox: createOutbox(mongo), totals: createTotals(mongo), log });
    const ingestionStore = change(createIngestionStore({ mongo, readingStore }));
    return createIngestion({ ingestionStore, readingStore, scripts });
  };

  return { ...telemetry, create, installation, post, readings, letters, ingestionWith };
}
