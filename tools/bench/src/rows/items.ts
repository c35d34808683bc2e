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
  reach: 0.7,
  about: 'an item by its id; beside the mongodb driver and node:http giving the same JSON',
  async prepare(bench) {
    const [id] = await itemsOf(bench);
    return besideDriver(bench, `/${id}?nsfilter=${bench.namespace}`, `/${id}`);
  },
};

export const itemList: Row = {
  row: 'item-list',
  unit: 'requests/s',
  reach: 0.7,
  about: '25 of 1000 items with their total; beside the mongodb driver and node:http giving the same JSON',
  async prepare(bench) {
    await itemsOf(bench);
    return besideDriver(bench, `?nsfilter=${bench.namespace}`, '/');
  },
};

async function besideDriver(bench: Bench, ourPath: string, referencePath: string): Promise<Contest> {
  const { stack, urlOf, token, namespace } = bench;
  const options: ItemsByDriver = { mongoUrl: stack.backends.mongoUrl, database: ITEMS_DATABASE, namespace };
  const driver = await startServer('references/items-by-driver', options);
  const ourUrl = urlOf('itemsvc') + ITEMS_PATH + ourPath;
  const referenceUrl = driver.url + referencePath;
  const headers = { authorization: `Bearer ${token}` };
  await assertSameJson([ourUrl, referenceUrl], headers);
  return {
    ours: httpSide({ url: ourUrl, headers }),
    reference: httpSide({ url: referenceUrl, headers: {} }),
    close: driver.stop,
  };
}
