import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { SessionStore } from '@dtplatform/sdk';
import { lock } from 'proper-lockfile';
import { configFolder, readJson, removeJson, writeJson } from './config-folder.js';

type Values = Record<string, string>;

/** Keeps the session of a profile in a file, which several commands may use at the same time. */
export function fileStore(profile: string): SessionStore {
  const name = `sessions/${profile}.json`;
  return {
    get: async (key) => (await readJson<Values>(name))?.[key],
    async set(key, value) {
      const values = { ...(await readJson<Values>(name)) };
      if (value === undefined) delete values[key];
      else values[key] = value;
      await (Object.keys(values).length > 0 ? writeJson(name, values) : removeJson(name));
    },
    async exclusive(work) {
      const file = path.join(configFolder(), name);
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      const retries = { retries: 100, factor: 1, minTimeout: 100, randomize: true };
      const release = await lock(file, { realpath: false, retries });
      try {
        return await work();
      } finally {
        await release();
      }
    },
  };
}
