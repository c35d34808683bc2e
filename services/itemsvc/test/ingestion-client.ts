import { createOutbox, createTotals } from '@dtplatform/queue';
import { createIngestion } from '../src/messages/ingestion.js';
import { createIngestionStore } from '../src/messages/ingestion.store.js';
import type { IngestionStore } from '../src/messages/ingestion.store.js';
import type { Scripts } from '../src/messages/message.js';
import { createReadingStore } from '../src/readings/readings.store.js';
import { itemClient } from './item-client.js';
import { NS } from './start-app.js';
import type { Here } from './start-app.js';
import { configDraft, CONFIGS, telemetryClient } from './telemetry-client.js';

/** The time of the first message. */
export const T0 = Date.UTC(2026, 0, 1);
export const NORMALIZE = `
  function normalize({ device, at, values }) {
    if (device === 'broken') throw new Error('no such device');
    if (device === 'silent') return null;
    return values.map((value, n) => ({ _ts: at + n, _tsMetadata: { _sourceId: device }, value }));
  }`;

let count = 0;

/** A message of a device. */
export const message = (device: string, values: unknown[] = [1], more: object = {}) => ({
  deviceType: 'thermo',
  device,
  at: T0,
  values,
  ...more,
});

/** Calls for messages by one caller in one namespace. */
export function ingestionClient(here: Here, nsfilter = NS) {
  const { app, owner } = here;
  const telemetry = telemetryClient(here);
  const { send, outcome } = telemetry;
  const { createOne, addRows, get } = itemClient(here, nsfilter);
  const _namespaces = [nsfilter];

  interface Wanted {
    script?: string | object | null;
    bindings?: object[];
    sources?: object[];
  }
  /** A collection with the telemetry items a and b, a script, and a configuration that binds them. */
  const installation = async ({ script = NORMALIZE, bindings = [], sources: _sources }: Wanted = {}) => {
    const _userType = `normalize_${(count += 1)}`;
    const collection = await createOne({ _itemClass: 'NamedTelemetryCollection', _namespaces });
    await addRows(collection._id, [{ _sourceId: 'a' }, { _sourceId: 'b' }]);
    if (script !== null)
      await createOne({ _itemClass: 'Script', _namespaces, _userType, _version: { _userData: script } });
    const bind = { collectionDesc: { _userItemId: collection._userItemId }, query: { deviceType: 'thermo' } };
    const _configData = { _bindings: [...bindings, bind], _normalizationScript: { _userType }, _sources };
    const draft = configDraft({ _namespaces, _configData });
    const { body: config } = await outcome(send('post', CONFIGS, { nsfilter }).send(draft));
    return { collection, config, _userType };
  };
  const post = (configId: string, body: unknown, by = owner) =>
    send('post', `${CONFIGS}/${configId}/messages`, { nsfilter }, by).send(body as object);
  const readings = async (id: string) =>
    (await get(`${id}/relateditems/readings`, { _pageSize: 1000 }).expect(200)).body._list;
  const valuesOf = async (id: string): Promise<unknown[]> =>
    (await readings(id)).map(({ value }: { value: unknown }) => value);
  const letters = async (configId: string, query: object = {}) =>
    (await send('get', `${CONFIGS}/${configId}/deadletters`, { nsfilter, ...query }).expect(200)).body;
  /** Ingestion that runs without a worker. */
  const ingestionWith = (scripts: Scripts, change = (store: IngestionStore) => store) => {
    const { mongo, log } = app.deps;
    const readingStore = createReadingStore({ mongo, outbox: createOutbox(mongo), totals: createTotals(mongo), log });
    const ingestionStore = change(createIngestionStore({ mongo, readingStore }));
    return createIngestion({ ingestionStore, readingStore, scripts });
  };

  return { ...telemetry, installation, post, readings, valuesOf, letters, ingestionWith };
}
