import type { newItem } from '../../../../services/itemsvc/src/nameduseritems/item.js';
import { argument } from './program.js';
import { seed } from './seed.js';

/** Writes items into an itemsvc database as itemsvc does (nameduseritems/item.ts), with their total. */
export interface SeedItems {
  mongoUrl: string;
  database: string;
  namespace: string;
  items: number;
}

/** Number of items per type. */
const TYPE = 100;
/** As in usage/usage.store.ts. */
const TOTAL = 'nameduseritem';

const { mongoUrl, database, namespace, items } = argument<SeedItems>();
const program = new URL('../../../../services/itemsvc/dist/nameduseritems/item.js', import.meta.url).href;
const itemsvc = (await import(program)) as { newItem: typeof newItem };

const totals = [TOTAL, `${TOTAL}:NamedUserCollection`].map((key) => ({
  ...{ _id: `${namespace}/${key}`, namespace, key, amount: items },
}));
await seed({ mongoUrl, database, collection: 'items', count: items }, itemOf, { totals });

function itemOf(n: number) {
  const digits = String(n).padStart(7, '0');
  const wanted = {
    _name: `Room ${digits}`,
    _shortName: `r${digits}`,
    _description: 'A room',
    _namespaces: [namespace],
    _userType: `type-${String(Math.floor(n / TYPE)).padStart(5, '0')}`,
    _itemClass: 'NamedUserCollection' as const,
    _version: { _userAttributes: { code: `code-${digits}`, floor: n % 12 } },
  };
  const ids = { item: digits.padStart(24, '0'), version: digits.padStart(24, 'a') };
  return itemsvc.newItem(wanted, namespace, ids, { byId: 'bench', at: 1_700_000_000_000 + n });
}
