import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createReadStream } from 'node:fs';

/** Counts the matching lines of a growing file. A file that does not exist has none. */
export function countLines(file: string, pattern: RegExp): () => Promise<number> {
  let [offset, count, rest] = [0, 0, ''];
  return async () => {
    try {
      for await (const chunk of createReadStream(file, { start: offset })) {
        offset += (chunk as Buffer).length;
        const lines = (rest + (chunk as Buffer).toString('latin1')).split('\n');
        rest = lines.pop()!;
        count += lines.filter((line) => pattern.test(line)).length;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    return count;
  };
}

/** The message that undici publishes for each request of this process. */
interface Sent {
  request: { origin: string | URL; upgrade?: unknown };
}

/**
 * Counts the requests of this process to an origin. Omits websocket upgrades, which services do not log as requests.
 */
export function countSent(origin: string): { count: () => number; close: () => void } {
  let count = 0;
  const onSent = (message: unknown) => {
    const { request } = message as Sent;
    if (String(request.origin) === origin && !request.upgrade) count += 1;
  };
  subscribe('undici:request:create', onSent);
  return { count: () => count, close: () => void unsubscribe('undici:request:create', onSent) };
}
