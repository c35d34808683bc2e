import { inRedis } from '../../tools/in-pod.js';
import { ALL, stop, WITH_OUTBOX, type Fault } from '../fault.js';
import { putMessages, usageOf } from './messages.js';

/** Without MongoDB no pod is ready. */
export const mongodbIsStopped: Fault = {
  what: 'MongoDB is stopped',
  fires: { NoPods: ALL, PodsAreNotReady: ALL },
  make: (lab) => stop(lab, 'statefulset/mongodb'),
};

export const redisIsStopped: Fault = {
  what: 'Redis is stopped',
  fires: { RedisIsDisconnected: ALL },
  make: (lab) => stop(lab, 'statefulset/redis'),
};

/**
 * Redis refuses to write, as `noeviction` makes it: the platform goes on, but messages stay in the outbox. Theirs were
 * written a minute ago, so that the minute of the threshold is over.
 */
export const redisIsFull: Fault = {
  what: 'Redis has no memory left',
  fires: { OutboxIsStuck: WITH_OUTBOX },
  async make({ kubectl }) {
    const before = (await inRedis(kubectl, "console.log((await redis.config('GET', 'maxmemory'))[1]);")).trim();
    const limit = (bytes: string) => inRedis(kubectl, `await redis.config('SET', 'maxmemory', '${bytes}');`);
    await limit('1');
    await putMessages(kubectl, WITH_OUTBOX, { count: 3, ageMs: 60_000, ...usageOf('dtplatform.filesvc.FileCount') });
    return () => limit(before);
  },
};
