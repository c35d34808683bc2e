import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { createCaller, ITEMS } from '@dtplatform/stack/client';
import type { Bench } from './bench.js';

/** The database of itemsvc in the local stack. */
export const ITEMS_DATABASE = 'dtplatform_itemsvc';

const BATCHES = 10;
const BATCH = 100;
const FOLDED_WITHIN_MS = 30_000;

let made: Promise<string[]> | undefined;

/** The ids of a thousand items in the namespace, created once. */
export const itemsOf = (bench: Bench): Promise<string[]> => (made ??= makeItems(bench));

async function makeItems({ stack, serviceOf, token, namespace }: Bench): Promise<string[]> {
  const itemsvc = createCaller({ baseUrl: serviceOf('itemsvc').url, token });
  const ids: string[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const json = Array.from({ length: BATCH }, (_, n) => newItem(namespace, batch * BATCH + n));
    const { body } = await itemsvc.call<{ _list: { _id: string }[] }>('POST', ITEMS, {
      query: { nsfilter: namespace },
      ...{ json, expect: 201 },
    });
    ids.push(...body._list.map(({ _id }) => _id));
  }
  await untilFolded(stack.backends.mongoUrl);
  return ids;
}

/** The body that creates one. */
export const newItem = (namespace: string, n: number) => ({
  _name: `Room ${n}`,
  _shortName: `room${n}`,
  _description: 'A room with its equipment',
  _namespaces: [namespace],
  _userType: 'room',
  _itemClass: 'NamedUserCollection',
  _version: { _userAttributes: { floor: n % 12, area: 10 + (n % 50), use: 'office', fireRating: 'REI 90' } },
});

/** Waits until the outbox messages of the writes have been counted, so that the totals no longer change. */
async function untilFolded(mongoUrl: string): Promise<void> {
  const client = await MongoClient.connect(mongoUrl);
  const deadline = Date.now() + FOLDED_WITHIN_MS;
  const outbox = client.db(ITEMS_DATABASE).collection('outbox');
  try {
    while ((await outbox.countDocuments()) > 0 && Date.now() < deadline) await sleep(100);
  } finally {
    await client.close();
  }
}
