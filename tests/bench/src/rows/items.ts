import type { Bench } from '../bench.js';
import { startServer, type Server } from '../child.js';
import { assertSameJson, httpSide } from '../http-side.js';
import { ITEMS_DATABASE, ITEMS_PATH, itemsOf, newItem } from '../items.js';
import type { Contest } from '../measure.js';
import type { ItemsByDriver } from '../references/items-by-driver.js';
import type { Row } from '../row.js';

export const itemGet: Row = {
  row: 'item-get',
  unit: 'request',
  reach: 1.3,
  about:
    'items by their ids, one of a thousand each time; beside the mongodb driver and node:http giving the same JSON',
  async prepare(bench) {
    const ids = await itemsOf(bench);
    return besideDriver(bench, {
      ours: ids.map((id) => `/${id}?nsfilter=${bench.namespace}`),
      reference: ids.map((id) => `/${id}`),
    });
  },
};

export const itemList: Row = {
  row: 'item-list',
  unit: 'request',
  reach: 1.1,
  about: '25 of 1000 items with their total; beside the mongodb driver and node:http giving the same JSON',
  async prepare(bench) {
    await itemsOf(bench);
    return besideDriver(bench, { ours: [`?nsfilter=${bench.namespace}`], reference: ['/'] });
  },
};

export const itemInsert: Row = {
  row: 'item-insert',
  unit: 'request',
  reach: 0.8,
  about: 'one item at a time; beside the mongodb driver storing what was sent, with node:http',
  async prepare(bench) {
    const { url, pid } = bench.serviceOf('itemsvc');
    const driver = await startDriver(bench);
    const body = JSON.stringify([newItem(bench.namespace, 0)]);
    const request = { method: 'POST', body } as const;
    const json = { 'content-type': 'application/json' };
    return {
      ours: httpSide({
        ...{ ...request, pid, urls: [`${url}${ITEMS_PATH}?nsfilter=${bench.namespace}`] },
        headers: { ...json, authorization: `Bearer ${bench.token}` },
      }),
      reference: httpSide({ ...request, pid: driver.pid, urls: [`${driver.url}/`], headers: json }),
      close: driver.stop,
    };
  },
};

const startDriver = ({ stack, namespace }: Bench): Promise<Server> =>
  startServer('references/items-by-driver', {
    ...{ mongoUrl: stack.backends.mongoUrl, database: ITEMS_DATABASE, namespace },
  } satisfies ItemsByDriver);

async function besideDriver(bench: Bench, paths: Record<'ours' | 'reference', string[]>): Promise<Contest> {
  const { serviceOf, token } = bench;
  const { url, pid } = serviceOf('itemsvc');
  const driver = await startDriver(bench);
  const ours = paths.ours.map((path) => url + ITEMS_PATH + path);
  const reference = paths.reference.map((path) => driver.url + path);
  const headers = { authorization: `Bearer ${token}` };
  try {
    await assertSameJson([ours[0]!, reference[0]!], headers);
  } catch (error) {
    await driver.stop();
    throw error;
  }
  return {
    ours: httpSide({ urls: ours, headers, pid }),
    reference: httpSide({ urls: reference, headers: {}, pid: driver.pid }),
    close: driver.stop,
  };
}
