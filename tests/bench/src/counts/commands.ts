/** They maintain connections, wait for changes, or read the counters. */
const UNCOUNTED_MONGODB = ['hello', 'isMaster', 'ismaster', 'ping', 'getMore', 'serverStatus'];
const UNCOUNTED_REDIS = ['info', 'ping', 'bzpopmin'];

/** The number of commands that MongoDB has executed. @param commands `metrics.commands` of its `serverStatus` */
export function mongodbCommands(commands: Record<string, { total: number } | number>): number {
  let sum = 0;
  for (const [name, command] of Object.entries(commands))
    if (typeof command === 'object' && !UNCOUNTED_MONGODB.includes(name)) sum += command.total;
  return sum;
}

/**
 * The number of commands that Redis has executed, including those inside scripts. @param info its `INFO commandstats`
 */
export function redisCommands(info: string): number {
  let sum = 0;
  for (const [, name, calls] of info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm))
    if (!UNCOUNTED_REDIS.includes(name!)) sum += Number(calls);
  return sum;
}
