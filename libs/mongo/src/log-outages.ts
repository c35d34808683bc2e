import type { Logger } from '@dtplatform/logging';
import type { MongoClient } from './driver.js';

/** Logs once when the connection to the server is lost, and once when it is back. */
export function logOutages(client: MongoClient, log: Logger): void {
  let isUnavailable = false;
  client.on('serverHeartbeatFailed', ({ failure }) => {
    if (isUnavailable) return;
    isUnavailable = true;
    log.warn({ err: failure }, 'mongodb is unavailable');
  });
  client.on('serverHeartbeatSucceeded', () => {
    if (isUnavailable) log.info('mongodb is available again');
    isUnavailable = false;
  });
}
