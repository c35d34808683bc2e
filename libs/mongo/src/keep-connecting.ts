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
  let failure: Error | undefined;
  const attempt = async (): Promise<boolean> => {
    try {
      await client.connect();
      failure = undefined;
      return true;
    } catch (error) {
      const before = failure;
      failure = error as Error;
      // A server that is away is logged by `logOutages`; this is one that refuses us, or has no address.
      if (!(error instanceof MongoServerSelectionError) && failure.message !== before?.message) {
        log.error({ err: error }, 'mongodb cannot be connected to');
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
    /** Why it has not worked yet; the driver's own errors tell only that it has not. */
    failure: () => failure,
    async stop() {
      stopping.abort();
      await connecting;
    },
  };
}
