import type { MongoClient } from 'mongodb';
import type { Logger } from '@dtplatform/logging';

/** Logs once when no writable server is known any more and once when there is one again. */
export function logOutages(client: MongoClient, log: Logger): void {
  let isAway = false;
  client.on('serverHeartbeatFailed', ({ failure }) => {
    if (isAway) return;
    isAway = true;
    log.warn({ err: failure }, 'mongodb is away');
  });
  client.on('serverHeartbeatSucceeded', () => {
    if (isAway) log.info('mongodb is back');
    isAway = false;
  });
}
