import { ITEMS, type Page } from '@dtplatform/stack/client';
import type { Workspace } from '../../callers/index.js';
import { newItem } from '../../items.js';
import { inTurn, makeMany, type Operation, PARENTS, unique } from './operation.js';

const SOURCES = 50;
const READINGS = 100;
const BULK = 1000;
const SEARCHED = 100;

type Created = Page<{ _id: string }>;

const create = async ({ caller, namespace }: Workspace, path: string, json: unknown): Promise<string[]> => {
  const call = { query: { nsfilter: namespace }, json, expect: 201 };
  return (await caller.call<Created>('POST', path, call)).body._list.map(({ _id }) => _id);
};

const createParents = (place: Workspace, itemClass = 'NamedUserCollection'): Promise<string[]> =>
  create(
    place,
    ITEMS,
    Array.from({ length: PARENTS }, (_, n) => ({ ...newItem(place.namespace, n), _itemClass: itemClass })),
  );

const newVersion = (n: number) => ({ _userAttributes: { floor: n % 12, use: 'office' } });
const addVersion = async ({ caller, namespace }: Workspace, item: string, n: number): Promise<string> => {
  const call = { query: { nsfilter: namespace }, json: newVersion(n), expect: 201 };
  return (await caller.call<{ _id: string }>('POST', `${ITEMS}/${item}/versions`, call)).body._id;
};

const relatedItem = (n: number) => ({ name: `Sensor ${n}`, kind: 'temperature', position: { x: n % 100, y: n % 37 } });

/** A telemetry collection with the sources `sensor-0` to `sensor-49`. Resolves with its id. */
export async function createTelemetryCollection(place: Workspace): Promise<string> {
  const item = { ...newItem(place.namespace, 0), _itemClass: 'NamedTelemetryCollection' };
  const [id] = await create(place, ITEMS, [item]);
  const sources = Array.from({ length: SOURCES }, (_, n) => ({ _sourceId: `sensor-${n}` }));
  await create(place, `${ITEMS}/${id}/relateditems`, sources);
  return id!;
}

/** One reading per second of these sources, up to now. */
export function someReadings(count: number): object[] {
  const at = Date.now();
  return Array.from({ length: count }, (_, n) => ({
    ...{ _ts: at - n * 1000, _tsMetadata: { _sourceId: `sensor-${n % SOURCES}` } },
    ...{ temperature: 20 + (n % 100) / 10, humidity: n % 90, state: 'on' },
  }));
}

export const writeReadings = async ({ caller, namespace }: Workspace, collection: string): Promise<void> => {
  const call = { query: { nsfilter: namespace }, json: someReadings(READINGS), expect: 201 };
  await caller.call('POST', `${ITEMS}/${collection}/relateditems/readings`, call);
};

export const itemOperations: Operation[] = [
  {
    ...{ name: 'item-created', service: 'itemsvc' },
    prepare: async (place) => async (n) => void (await create(place, ITEMS, [newItem(place.namespace, n)])),
  },
  {
    ...{ name: 'item-version', service: 'itemsvc' },
    prepare: async (place) => {
      const parents = await createParents(place);
      return async (n) => void (await addVersion(place, inTurn(parents, n), n));
    },
  },
  {
    ...{ name: 'version-deleted', service: 'itemsvc' },
    prepare: async (place, calls) => {
      const parents = await createParents(place);
      const versions = await makeMany(calls, (n) => addVersion(place, inTurn(parents, n), n));
      const call = { query: { nsfilter: place.namespace }, expect: 204 };
      return async (n) =>
        void (await place.caller.call('DELETE', `${ITEMS}/${inTurn(parents, n)}/versions/${versions[n]}`, call));
    },
  },
  {
    ...{ name: 'related-item', service: 'itemsvc' },
    prepare: async (place) => {
      const parents = await createParents(place);
      return async (n) => void (await create(place, `${ITEMS}/${inTurn(parents, n)}/relateditems`, [relatedItem(n)]));
    },
  },
  {
    ...{ name: 'bulk-1000', service: 'itemsvc', about: '1000 related items in a call', calls: 16 },
    prepare: async (place) => {
      const parents = await createParents(place);
      const json = Array.from({ length: BULK }, (_, n) => relatedItem(n));
      return async (n) => void (await create(place, `${ITEMS}/${inTurn(parents, n)}/relateditems/bulk`, json));
    },
  },
  {
    ...{ name: 'readings-100', service: 'itemsvc', about: '100 readings in a call' },
    prepare: async (place) => {
      const collections = await makeMany(PARENTS, () => createTelemetryCollection(place));
      return (n) => writeReadings(place, inTurn(collections, n));
    },
  },
  {
    ...{ name: 'search', service: 'itemsvc', about: 'a page of the related items of one collection that match' },
    prepare: async (place) => {
      const _userType = unique();
      const [id] = await create(place, ITEMS, [{ ...newItem(place.namespace, 0), _userType }]);
      const items = Array.from({ length: SEARCHED }, (_, n) => relatedItem(n));
      await create(place, `${ITEMS}/${id}/relateditems`, items);
      const json = { $findInCollections: { collectionDesc: { _userType }, query: { 'position.y': { $lt: 10 } } } };
      const call = { query: { nsfilter: place.namespace }, json };
      return async () => void (await place.caller.call('POST', `${ITEMS}/search`, call));
    },
  },
];
