import { paginate } from '@dtplatform/sdk';
import type { Input } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { connectIn } from '../connect.js';
import { interruption } from '../interruption.js';
import { asList } from '../list.js';
import { DATA, json, readData } from '../options.js';
import { note, printFields, printRows } from '../output.js';
import type { Column } from '../output.js';
import { UsageError } from '../usage-error.js';

interface QueryOptions {
  in?: string;
  project?: unknown;
  sort?: unknown;
}
type Row = Record<string, unknown>;

const COLUMNS: Column<Row>[] = [
  ['NAME', ({ _name }) => _name],
  ['SHORT NAME', ({ _shortName }) => _shortName],
  ['TYPE', ({ _userType }) => _userType],
  ['CLASS', ({ _itemClass }) => _itemClass],
  ['ID', ({ _id }) => _id],
];
const MAX_COLUMNS = 7;
const CHANGEABLE = ['_name', '_description', '_userType', '_namespaces'];

export function addItems(program: Command): void {
  const items = program.command('items').description('query and change items');
  const query = items
    .command('query')
    .argument('[filter]', 'conditions in the query language of MongoDB, such as \'{"_userType": "door"}\'', json)
    .option('--in <item>', 'query the related items of this item')
    .option('--project <fields>', 'the fields to return, such as \'{"_name": 1}\'', json)
    .option('--sort <fields>', 'the order, such as \'{"_name": 1}\'', json)
    .description('list the items that match');
  asList<Row, QueryOptions>(query, {
    read({ client, signal }, { in: id, project, sort, limit }, filter?: unknown) {
      const given = Object.entries({ query: filter, project, sort }).filter(([, value]) => value !== undefined);
      const texts = Object.fromEntries(given.map(([name, value]) => [name, JSON.stringify(value)]));
      const query = { ...texts, _pageSize: Math.min(limit, 1000) };
      return (
        id === undefined
          ? paginate(client, 'itemsvc.items.list', { query, signal })
          : paginate(client, 'itemsvc.relatedItems.list', { path: { id }, query, signal })
      ) as AsyncIterable<Row>;
    },
    columns: columnsOf,
  });
  items
    .command('get')
    .argument('<id>', 'its id or user item id')
    .description('show an item')
    .action(async (id: string, _, command: Command) => {
      const { client, output } = await connectIn(command);
      printFields(output, await client.call('itemsvc.items.get', { path: { id }, signal: interruption.signal }));
    });
  items
    .command('create')
    .argument('<data>', `an item or an array of them: ${DATA}`)
    .description('create items')
    .action(create);
  items
    .command('update')
    .argument('<id>', 'its id or user item id')
    .argument('<data>', `the fields to change: ${DATA}`)
    .description('change name, description, type or namespaces of an item')
    .action(update);
  items
    .command('rm')
    .argument('<id...>', 'ids or user item ids')
    .description('delete items with their versions and related items')
    .action(async (ids: string[], _, command: Command) => {
      const { client } = await connectIn(command);
      for (const id of ids) {
        await client.call('itemsvc.items.delete', { path: { id }, signal: interruption.signal });
        note(`Deleted ${id}.`);
      }
    });
}

async function create(data: string, _: object, command: Command): Promise<void> {
  const { client, output, namespace } = await connectIn(command);
  const given = [await readData(data)].flat() as Row[];
  const body = given.map((item) => ({ _description: '', _namespaces: [namespace], ...item }));
  // The platform validates it.
  const input = { body, signal: interruption.signal } as unknown as Input<'itemsvc.items.create'>;
  const { _list, _failures = [] } = await client.call('itemsvc.items.create', input);
  for (const { index, message } of _failures) note(`Item ${index} was not created: ${message}`);
  printRows(output, _list as unknown as Row[], COLUMNS);
  if (_failures.length > 0) process.exitCode = 1;
}

async function update(id: string, data: string, _: object, command: Command): Promise<void> {
  const { client } = await connectIn(command);
  const change = (await readData(data)) as Row;
  const fields = Object.keys(change);
  if (fields.length === 0 || fields.some((name) => !CHANGEABLE.includes(name)))
    throw new UsageError(`Pass one or more of the fields ${CHANGEABLE.join(', ')}. Others cannot be changed.`);
  const { signal } = interruption;
  const { body: item, headers } = await client.send('itemsvc.items.get', { path: { id }, signal });
  const { _name, _description, _userType, _namespaces } = item as Required<typeof item>;
  await client.call('itemsvc.items.update', {
    ...{ path: { id }, headers: { 'If-Match': headers.get('etag') ?? undefined }, signal },
    body: { _name, _description, _userType, _namespaces, ...change },
  });
  note(`Changed ${id}.`);
}

/** Columns of items, or the first fields of related items. */
function columnsOf(rows: Row[]): Column<Row>[] {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (fields.includes('_itemClass')) return COLUMNS;
  const own = fields.filter((name) => !name.startsWith('_')).slice(0, MAX_COLUMNS - 1);
  return [...own, '_id'].map((name) => [name.replace(/^_/, '').toUpperCase(), (row) => row[name]]);
}
