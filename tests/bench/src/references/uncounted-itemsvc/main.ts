import { runProcess } from '@dtplatform/lifecycle';
import { serve } from '@dtplatform/runtime';
import { itemsvc, itemsvcConfig } from '../itemsvc.js';

/** itemsvc without usage messages: the same program, except that it writes nothing to its outbox. */
interface Collection {
  collectionName: string;
  bulkWrite: (...args: unknown[]) => Promise<unknown>;
}

await runProcess('uncounteditemsvc', itemsvcConfig, async (config, context) => {
  const deps = await itemsvc.createDeps(config, context);
  const collections = Object.getPrototypeOf(deps.mongo.db.collection('outbox')) as Collection;
  const write = collections.bulkWrite;
  collections.bulkWrite = function (...args) {
    return this.collectionName === 'outbox' ? Promise.resolve({}) : write.apply(this, args);
  };
  await serve({ listener: itemsvc.createApp(deps), port: config.PORT }, deps);
});
