import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@dtplatform/logging';
import { MongoServerSelectionError } from './driver.js';
import type { MongoClient } from './driver.js';

const RETRY_EVERY_MS = 500;

/**
 * Connects in the background until the first attempt succeeds. From then on the driver reconnects by itself; but a client
 * whose first attempt failed fails every operation with "Topology is closed" until `connect` is called again.
 */
export function keepConnecting(client: MongoClient, log: Logger) {
  const stopping = new AbortController();
  let failure: Error | undefined;
  const attempt = async (): Promise<boolean> => {
    try {
      await client.connect();
      failure = undefined;
      return true;
    } catch (error) {
      const before = failure;
      failure = error as Error;
      // `logOutages` logs a server that is unavailable; this one refuses the connection, or has no address.
      if (!(error instanceof MongoServerSelectionError) && failure.message !== before?.message) {
        log.error({ err: error }, 'cannot connect to mongodb');
      }
      return false;
    }
  };
  const firstAttempt = attempt();
  const connecting = (async () => {
    for (let isConnected = await firstAttempt; !isConnected; isConnected = await attempt()) {
      const isTime = await delay(RETRY_EVERY_MS, true, { signal: stopping.signal }).catch(() => false);
      if (!isTime) return;
    }
  })();
  return {
    firstAttempt,
    /** Why no attempt has succeeded yet; the driver's own errors do not say. */
    failure: () => failure,
    async stop() {
      stopping.abort();
      await connecting;
    },
  };
}
