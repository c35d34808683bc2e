import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { MongoClient } from 'mongodb';
import { argument } from '../load/program.js';
import { serve } from './serve.js';

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

function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method === 'POST') return insertItems(req, res);
  const id = req.url!.slice(1);
  return id === '' ? listItems(res) : getItem(id, res);
}

async function getItem(id: string, res: ServerResponse): Promise<void> {
  const item = await items.findOne({ _id: id });
  if (item) send(res, shown(item));
  else res.writeHead(404).end();
}

async function listItems(res: ServerResponse): Promise<void> {
  const [list, total] = await Promise.all([
    items.find({ _namespaces: namespace }).sort({ _id: 1 }).limit(25).toArray(),
    items.estimatedDocumentCount(), // all are in this namespace, so the cheapest count there is will do
  ]);
  send(res, { _offset: 0, _pageSize: 25, _total: total, _list: list.map(shown) });
}

async function insertItems(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const sent = (await json(req)) as object[];
  const isBulk = req.url === '/bulk';
  const list = sent.map((item) => ({ ...item, ...(isBulk && OWNER), _id: randomBytes(12).toString('hex') }));
  await (isBulk ? rows : inserted).insertMany(list, { writeConcern: { w: 'majority' } });
  send(res, { _offset: 0, _pageSize: list.length, _total: list.length, _list: list }, 201);
}

function send(res: ServerResponse, body: object, status = 200): void {
  const bytes = Buffer.from(JSON.stringify(body));
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length });
  res.end(bytes);
}

serve(
  createServer((req, res) => {
    answer(req, res).catch(() => res.destroy());
  }),
);
