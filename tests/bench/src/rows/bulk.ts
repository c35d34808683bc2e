import { createCaller, ITEMS } from '@dtplatform/stack/client';
import { httpSide } from '../http-side.js';
import { ITEMS_DATABASE, newItem } from '../items.js';
import type { ItemsByDriver } from '../references/items-by-driver.js';
import type { Row } from '../row.js';

const ENTRIES = 1000;
const CONNECTIONS = 4;

export const bulk: Row = {
  row: 'bulk',
  unit: 'bulk',
  reach: 0.85,
  about:
    `${ENTRIES} related items in one call; beside insertMany of the mongodb driver into a collection with the index of ` +
    'lists, with node:http',
  async prepare({ stack, serve, serviceOf, token, namespace }) {
    const { url, pid } = serviceOf('itemsvc');
    const query = { nsfilter: namespace };
    const itemsvc = createCaller({ baseUrl: url, token });
    const { body: made } = await itemsvc.call<{ _list: { _id: string }[] }>('POST', ITEMS, {
      ...{ query, json: [newItem(namespace, 0)], expect: 201 },
    });
    const driver = await serve('references/items-by-driver', {
      ...{ mongoUrl: stack.backends.mongoUrl, database: ITEMS_DATABASE, namespace },
    } satisfies ItemsByDriver);
    const request = { json: Array.from({ length: ENTRIES }, (_, n) => entry(n)), connections: CONNECTIONS };
    const path = `${ITEMS}/${made._list[0]!._id}/relateditems/bulk?nsfilter=${namespace}`;
    return {
      ours: httpSide({ ...request, pid, urls: [url + path], token }),
      reference: httpSide({ ...request, pid: driver.pid, urls: [`${driver.url}/bulk`] }),
    };
  },
};

const entry = (n: number) => ({
  name: `Sensor ${n}`,
  kind: n % 2 ? 'temperature' : 'humidity',
  position: { x: n % 100, y: n % 37, z: 2.5 },
  tags: ['hvac', `zone-${n % 8}`],
});
