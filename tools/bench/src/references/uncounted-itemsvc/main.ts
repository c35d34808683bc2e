import { loadConfig } from '@dtplatform/config';
import { runProcess } from '@dtplatform/lifecycle';
import { serve } from '@dtplatform/service';
import type { createApp } from '../../../../../services/itemsvc/src/app.js';
import type { Config } from '../../../../../services/itemsvc/src/config.js';
import type { createDeps } from '../../../../../services/itemsvc/src/deps.js';
import { loadItemsvc } from './load-itemsvc.js';

/** itemsvc without messages about usage: the same program, except that nothing is written to its outbox. */
interface Itemsvc {
  createApp: typeof createApp;
  Config: typeof Config;
  createDeps: typeof createDeps;
}

const parts = await Promise.all(['app', 'config', 'deps'].map(loadItemsvc));
const itemsvc = Object.assign({}, ...parts) as Itemsvc;

interface Collection {
  collectionName: string;
  bulkWrite: (...args: unknown[]) => Promise<unknown>;
}

await runProcess(
  'uncounteditemsvc',
  () => loadConfig(itemsvc.Config),
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
