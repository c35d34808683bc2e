import { PERMISSIONS } from '@dtplatform/stack/client';
import { inMongo, inRedis } from '../../tools/in-pod.js';
import { ALL, keepCalling, orUndo, stop, undoAll, WITH_OUTBOX, type Fault, type Lab } from '../fault.js';
import { putMessages, usageOf } from './messages.js';

/** Without MongoDB no pod is ready. */
export const mongodbIsStopped: Fault = {
  what: 'MongoDB is stopped',
  fires: { NoPods: ALL, PodsAreNotReady: ALL },
  make: (lab) => stop(lab, 'statefulset/mongodb'),
};

/** More than the 100 connections of each of the two pods. */
const CALLERS = 300;

/** MongoDB responds to heartbeats but blocks every write, and the connection of each. */
export const mongodbIsLocked: Fault = {
  what: 'MongoDB is locked while many permissions are granted',
  fires: { MongodbPoolIsExhausted: ['objectmodelsvc'] },
  async make(lab) {
    const { kubectl } = lab;
    await inMongo(kubectl, "await client.db('admin').command({ fsync: 1, lock: true });");
    const calls = Array.from({ length: CALLERS }, (_, n) => () => grant(lab, `filesvc:file:${n}`));
    const stopCalls = keepCalling(lab, calls);
    return undoAll(stopCalls, () => inMongo(kubectl, "await client.db('admin').command({ fsyncUnlock: 1 });"));
  },
};

const grant = ({ user: { caller, namespace }, stranger }: Lab, _irn: string) => {
  const _user = { _type: 'user', _id: stranger.id };
  return caller.call('PUT', PERMISSIONS, {
    json: [{ _namespace: namespace, _resourceDesc: { _irn }, _user, _actions: ['READ'] }],
  });
};

export const redisIsStopped: Fault = {
  what: 'Redis is stopped',
  fires: { RedisIsDisconnected: ALL },
  make: (lab) => stop(lab, 'statefulset/redis'),
};

/**
 * Redis rejects writes because of `noeviction`: the platform continues, but messages stay in the outbox. They are
 * written as if a minute ago, so that the threshold of a minute is exceeded.
 */
export const redisIsFull: Fault = {
  what: 'Redis has no memory left',
  fires: { OutboxIsStuck: WITH_OUTBOX },
  async make({ kubectl }) {
    const before = (await inRedis(kubectl, "console.log((await redis.config('GET', 'maxmemory'))[1]);")).trim();
    const limit = (bytes: string) => inRedis(kubectl, `await redis.config('SET', 'maxmemory', '${bytes}');`);
    const messages = { count: 3, ageMs: 60_000, ...usageOf('dtplatform.filesvc.FileCount') };
    await limit('1');
    const undo = () => limit(before);
    await orUndo(undo, () => putMessages(kubectl, WITH_OUTBOX, messages));
    return undo;
  },
};
