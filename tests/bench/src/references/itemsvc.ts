import { loadConfig } from '@dtplatform/config';
import type { Config } from '../../../../services/itemsvc/src/config.js';
import type { createApp, createDeps } from '../../../../services/itemsvc/src/service.js';

interface Itemsvc {
  createApp: typeof createApp;
  Config: typeof Config;
  createDeps: typeof createDeps;
}

const load = (file: string): Promise<unknown> =>
  import(new URL(`../../../../services/itemsvc/dist/${file}.js`, import.meta.url).href);
const parts = await Promise.all(['config', 'service'].map(load));

/** The compiled parts of itemsvc. */
export const itemsvc = Object.assign({}, ...parts) as Itemsvc;

/** The configuration from the environment. In the stack, it uses what itemsvc has stored instead of its own database. */
export function itemsvcConfig() {
  const config = loadConfig(itemsvc.Config);
  return config.MONGO_DB.endsWith('itemsvc') ? { ...config, MONGO_DB: 'dtplatform_itemsvc' } : config;
}
