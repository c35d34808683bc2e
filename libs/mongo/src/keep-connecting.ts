import { setTimeout as delay } from 'node:timers/promises';
import { MongoServerSelectionError } from 'mongodb';
import type { MongoClient } from 'mongodb';
import type { Logger } from '@dtplatform/logging';

const RETRY_EVERY_MS = 500;

/**
 * Connects in the background until it worked once. From then on the driver reconnects by itself; but a client whose first attempt
 * failed fails every operation with "Topology is closed" until `connect` is called again.
 */
export function keepConnecting(client: MongoClient, log: Logger) {
  const stopping = new AbortController();
  const attempt = async (): Promise<boolean> => {
    try {
      await client.connect();
      return true;
    } catch (error) {
      // A server that is away is logged by `logOutages`; this is one that refuses us.
      if (!(error instanceof MongoServerSelectionError)) log.error({ err: error }, 'mongodb refuses the connection');
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
    async stop() {
      stopping.abort();
      await connecting;
    },
  };
}
