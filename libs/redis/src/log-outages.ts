import type { Redis } from 'ioredis';
import type { Logger } from '@dtplatform/logging';

/** Logs an outage once when it begins and once when it ends, however many attempts to reconnect lie between. */
export function logOutages(client: Redis, log: Logger): void {
  let isOutage = false;
  client.on('error', (error: Error) => {
    if (!isOutage) log.warn({ err: error }, 'redis is unavailable');
    isOutage = true;
  });
  client.on('ready', () => {
    if (isOutage) log.info('redis recovered');
    isOutage = false;
  });
}
