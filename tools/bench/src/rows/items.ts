import type { Bench } from '../bench.js';
import { startServer } from '../child.js';
import { assertSameJson, httpSide } from '../http-side.js';
import { ITEMS_DATABASE, ITEMS_PATH, itemsOf } from '../items.js';
import type { Contest } from '../measure.js';
import type { ItemsByDriver } from '../references/items-by-driver.js';
import type { Row } from '../row.js';

export const itemGet: Row = {
  row: 'item-get',
  unit: 'requests/s',
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
  unit: 'requests/s',
  reach: 1.1,
  about: '25 of 1000 items with their total; beside the mongodb driver and node:http giving the same JSON',
  async prepare(bench) {
    await itemsOf(bench);
    return besideDriver(bench, { ours: [`?nsfilter=${bench.namespace}`], reference: ['/'] });
  },
};

async function besideDriver(bench: Bench, paths: Record<'ours' | 'reference', string[]>): Promise<Contest> {
  const { stack, urlOf, token, namespace } = bench;
  const options: ItemsByDriver = { mongoUrl: stack.backends.mongoUrl, database: ITEMS_DATABASE, namespace };
  const driver = await startServer('references/items-by-driver', options);
  const ours = paths.ours.map((path) => urlOf('itemsvc') + ITEMS_PATH + path);
  const reference = paths.reference.map((path) => driver.url + path);
  const headers = { authorization: `Bearer ${token}` };
  try {
    await assertSameJson([ours[0]!, reference[0]!], headers);
  } catch (error) {
    await driver.stop();
    throw error;
  }
  return {
    ours: httpSide({ urls: ours, headers }),
    reference: httpSide({ urls: reference, headers: {} }),
    close: driver.stop,
  };
}
