import type { Redis } from 'ioredis';
import type { Logger } from '@dtplatform/logging';

/** Logs once when the server goes away and once when it is back, however many attempts lie between. */
export function logOutages(client: Redis, log: Logger): void {
  let isAway = false;
  client.on('error', (error: Error) => {
    if (!isAway) log.warn({ err: error }, 'redis is away');
    isAway = true;
  });
  client.on('ready', () => {
    if (isAway) log.info('redis is back');
    isAway = false;
  });
}
