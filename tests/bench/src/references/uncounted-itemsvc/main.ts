import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { serve } from '@dtplatform/runtime';
import type { Config } from '../../../../../services/itemsvc/src/config.js';
import type { createApp, createDeps } from '../../../../../services/itemsvc/src/service.js';

/** itemsvc without usage messages: the same program, except that it writes nothing to its outbox. */
interface Itemsvc {
  createApp: typeof createApp;
  Config: typeof Config;
  createDeps: typeof createDeps;
}

const load = (file: string): Promise<unknown> =>
  import(new URL(`../../../../../services/itemsvc/dist/${file}.js`, import.meta.url).href);
const parts = await Promise.all(['config', 'service'].map(load));
const itemsvc = Object.assign({}, ...parts) as Itemsvc;

interface Collection {
  collectionName: string;
  bulkWrite: (...args: unknown[]) => Promise<unknown>;
}

await runProcess(
  'uncounteditemsvc',
  // Both use the same collections, so they work on the same amount of data.
  () => ({ ...loadConfig(itemsvc.Config), MONGO_DB: 'dtplatform_itemsvc' }),
  async (config, context) => {
    const deps = await itemsvc.createDeps(config, context);
    const collections = Object.getPrototypeOf(deps.mongo.db.collection('outbox')) as Collection;
    const write = collections.bulkWrite;
    collections.bulkWrite = function (...args) {
      return this.collectionName === 'outbox' ? Promise.resolve({}) : write.apply(this, args);
    };
    await serve({ listener: itemsvc.createApp(deps), port: config.PORT }, deps);
  },
);
