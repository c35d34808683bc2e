import { ITEMS } from '@dtplatform/stack/client';
import type { Bench } from '../bench.js';
import type { Server } from '../child.js';
import { assertSameJson, httpSide } from '../http-side.js';
import { ITEMS_DATABASE, itemsOf, newItem } from '../items.js';
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
    const json = [newItem(bench.namespace, 0)];
    const urls = [`${url}${ITEMS}?nsfilter=${bench.namespace}`];
    return {
      ours: httpSide({ pid, urls, json, token: bench.token }),
      reference: httpSide({ pid: driver.pid, urls: [`${driver.url}/`], json }),
    };
  },
};

const startDriver = ({ stack, serve, namespace }: Bench): Promise<Server> =>
  serve('references/items-by-driver', {
    ...{ mongoUrl: stack.backends.mongoUrl, database: ITEMS_DATABASE, namespace },
  } satisfies ItemsByDriver);

async function besideDriver(bench: Bench, paths: Record<'ours' | 'reference', string[]>): Promise<Contest> {
  const { serviceOf, token } = bench;
  const { url, pid } = serviceOf('itemsvc');
  const driver = await startDriver(bench);
  const ours = paths.ours.map((path) => url + ITEMS + path);
  const reference = paths.reference.map((path) => driver.url + path);
  await assertSameJson([ours[0]!, reference[0]!], token);
  return { ours: httpSide({ urls: ours, token, pid }), reference: httpSide({ urls: reference, pid: driver.pid }) };
}
