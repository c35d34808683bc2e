import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { MongoClient } from 'mongodb';
import { argument } from '../load/program.js';
import { serveJson } from './serve.js';

export interface ItemsByDriver {
  mongoUrl: string;
  database: string;
  namespace: string;
}

interface StoredItem {
  _id: string;
  _namespaces: string[];
  _tip: object;
  _revision: number;
  _home: string;
}

/**
 * Serves the same JSON as itemsvc with only the driver and node:http: no tokens, no permissions, no validation, no
 * logs. `/<id>` is an item, `/` the first 25 of the namespace. A POST stores an array of items in a separate
 * collection; `/bulk` is for related items.
 */
const { mongoUrl, database, namespace } = argument<ItemsByDriver>();
const client = await MongoClient.connect(mongoUrl);
const items = client.db(database).collection<StoredItem>('items');
/** With the index for lists of them. */
const rows = client.db(`${database}_reference`).collection<{ _id: string }>('related_items');
await rows.createIndex({ '_platform.itemId': 1, '_platform.versionId': 1, _id: 1 }, {}, {});
const OWNER = { _platform: { itemId: randomBytes(12).toString('hex'), versionId: randomBytes(12).toString('hex') } };
const inserted = client.db(`${database}_reference`).collection<{ _id: string }>('items');

const shown = ({ _tip, _revision, _home, ...item }: StoredItem) => ({ ...item, _versions: [_tip] });

serveJson(async (req) => {
  if (req.method === 'POST') return insertItems(req);
  const id = req.url!.slice(1);
  return id === '' ? listItems() : shown((await items.findOne({ _id: id }))!);
});

async function listItems(): Promise<object> {
  const [list, total] = await Promise.all([
    items.find({ _namespaces: namespace }).sort({ _id: 1 }).limit(25).toArray(),
    items.estimatedDocumentCount(), // all are in this namespace, so the cheapest count there is will do
  ]);
  return { _offset: 0, _pageSize: 25, _total: total, _list: list.map(shown) };
}

async function insertItems(req: IncomingMessage): Promise<object> {
  const sent = (await json(req)) as object[];
  const isBulk = req.url === '/bulk';
  const list = sent.map((item) => ({ ...item, ...(isBulk && OWNER), _id: randomBytes(12).toString('hex') }));
  await (isBulk ? rows : inserted).insertMany(list, { writeConcern: { w: 'majority' } });
  return { _offset: 0, _pageSize: list.length, _total: list.length, _list: list };
}
