import { createHash } from 'node:crypto';
import type { RedisClient } from './client.js';

type Argument = string | number;

/**
 * Sends raw commands of libraries that load their scripts first. Every server of a cluster has scripts of its own, and
 * loses them in a restart: they are kept here and sent again to the server that has the key.
 */
export function createCommandSender(client: RedisClient) {
  const scripts = new Map<string, string>();

  return async (command: string, ...args: Argument[]): Promise<unknown> => {
    const [first = '', second = ''] = args.map(String);
    if (command === 'SCRIPT' && first === 'LOAD') {
      const id = createHash('sha1').update(second).digest('hex');
      scripts.set(id, second);
      return id;
    }
    const script = command === 'EVALSHA' ? scripts.get(first) : undefined;
    if (script === undefined) return client.call(command, args);
    try {
      return await client.call(command, args);
    } catch (error) {
      if (!String(error).includes('NOSCRIPT')) throw error;
      return client.call('EVAL', [script, ...args.slice(1)]);
    }
  };
}
