import { paginate } from '@dtplatform/sdk';
import type { Command } from 'commander';
import { connectIn } from '../connect.js';
import { first } from '../first.js';
import { interruption } from '../interruption.js';
import { json, positive } from '../options.js';
import { printRows } from '../output.js';
import type { Column } from '../output.js';

interface QueryOptions {
  in?: string;
  project?: unknown;
  sort?: unknown;
  limit: number;
}
type Row = Record<string, unknown>;

const ITEM_COLUMNS = ['_name', '_shortName', '_userType', '_itemClass', '_id'];
const MAX_COLUMNS = 7;

export function addItems(program: Command): void {
  program
    .command('items')
    .description('query items')
    .command('query')
    .argument('[filter]', 'conditions in the query language of MongoDB, such as \'{"_userType": "door"}\'', json)
    .option('--in <item>', 'query the related items of this item')
    .option('--project <fields>', 'the fields to return, such as \'{"_name": 1}\'', json)
    .option('--sort <fields>', 'the order, such as \'{"_name": 1}\'', json)
    .option('--limit <number>', 'the maximum number of entries', positive, 100)
    .description('list the items that match')
    .action(async (filter: unknown, options: QueryOptions, command: Command) => {
      const { client, isJson } = await connectIn(command);
      const { signal } = interruption;
      const asJson = { query: filter, project: options.project, sort: options.sort };
      const given = Object.entries(asJson).filter(([, value]) => value !== undefined);
      const query = {
        ...Object.fromEntries(given.map(([name, value]) => [name, JSON.stringify(value)])),
        _pageSize: Math.min(options.limit, 1000),
      };
      const entries: AsyncIterable<unknown> =
        options.in === undefined
          ? paginate(client, 'itemsvc.items.list', { query, signal })
          : paginate(client, 'itemsvc.relatedItems.list', { path: { id: options.in }, query, signal });
      const rows = (await first(options.limit, entries)) as Row[];
      printRows({ isJson }, rows, columnsOf(rows));
    });
}

/** Columns of items, or the first fields of related items. */
function columnsOf(rows: Row[]): Column<Row>[] {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const known = ITEM_COLUMNS.filter((name) => fields.includes(name));
  const own = fields.filter((name) => !name.startsWith('_'));
  const shown = fields.includes('_itemClass') ? known : ['_id', ...own].slice(0, MAX_COLUMNS);
  return shown.map((name) => [name.replace(/^_/, '').toUpperCase(), (row) => row[name]]);
}
