export const DEFAULT_QUEUE_PREFIX = 'dtplatform';

/** BullMQ's key prefix of a queue. The hash tag keeps its keys in one slot of a Redis cluster. */
export const queueKeyPrefix = (queuePrefix: string, queue: string): string => `{${queuePrefix}.${queue}}`;
