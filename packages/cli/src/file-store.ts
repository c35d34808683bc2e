import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { memoryStore } from '@dtplatform/sdk';
import type { SessionStore } from '@dtplatform/sdk';
import { lock } from 'proper-lockfile';
import { configFolder, readJson, removeJson, writeJson } from './config-folder.js';

/** The owner of tokens: they are never sent to another platform or app. */
export interface SessionOwner {
  baseUrl: string;
  clientId: string;
}

/**
 * Stores a profile's tokens in a file, which several commands may use concurrently. The state of a sign-in stays in
 * memory, because it starts and ends in the same command.
 */
export function fileStore(profile: string, { baseUrl, clientId }: SessionOwner): SessionStore {
  const file = `sessions/${profile}.json`;
  const signIns = memoryStore();
  const isKept = (name: string) => name === 'tokens';
  async function keptTokens(): Promise<string | undefined> {
    const kept = await readJson<SessionOwner & { tokens: string }>(file);
    return kept?.baseUrl === baseUrl && kept.clientId === clientId ? kept.tokens : undefined;
  }
  return {
    get: (name) => (isKept(name) ? keptTokens() : signIns.get(name)),
    async set(name, value) {
      if (!isKept(name)) return signIns.set(name, value);
      await (value === undefined ? removeJson(file) : writeJson(file, { baseUrl, clientId, tokens: value }));
    },
    async exclusive(work) {
      const target = path.join(configFolder(), file);
      await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
      const retries = { retries: 100, factor: 1, minTimeout: 100, randomize: true };
      const release = await lock(target, { realpath: false, retries });
      try {
        return await work();
      } finally {
        await release();
      }
    },
  };
}
