import { componentCall, componentQueue } from '@dtplatform/contracts';
import type { CallReport } from '@dtplatform/contracts';
import { createLeases } from '@dtplatform/lease';
import { isDuplicateKey, modelOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { defineMessage } from '@dtplatform/queue';
import type { Outbox } from '@dtplatform/queue';
import { ComponentCall } from './component-call.js';

export const componentCallModel = modelOf('component_calls', ComponentCall, {
  indexes: [
    { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
    { key: { _runId: 1 }, name: 'run' },
  ],
});

/** A worker that has not reported for this long is considered dead. */
const LEASE_MS = 30_000;
const MAX_LINES = 200;

const messageOf = (component: string) => defineMessage({ queue: componentQueue(component), ...componentCall });

/** Calls in MongoDB; the queue holds only their ids. Writes of a worker that lost its call have no effect. */
export function createComponentCallStore({ mongo, outbox }: { mongo: Mongo; outbox: Outbox }) {
  const calls = mongo.model(componentCallModel);
  const leases = createLeases(calls, { ttlMs: LEASE_MS, held: { status: 'RUNNING' } });

  const queue = (session: ClientSession, { _id, component }: Pick<ComponentCall, '_id' | 'component'>, id: string) =>
    outbox.put(session, messageOf(component), { callId: _id }, { id });

  const queueAgain = ({ _id, component, status, lease }: ComponentCall, unheard: object) =>
    mongo.transaction(async (session) => {
      const unchanged = { _id, status, 'lease.fence': lease.fence, ...unheard };
      const update = { $set: { status: 'QUEUED', queuedAt: Date.now() }, $unset: { 'lease.until': 1 } };
      if ((await calls.updateOne(unchanged, update, { session })).matchedCount === 1)
        // A running job ends now or is lost; otherwise the message is still in the outbox.
        await queue(session, { _id, component }, status === 'RUNNING' ? `${_id}.${lease.fence}` : _id);
    });

  const fail = ({ _id, lease }: ComponentCall, unheard: object, error: string) =>
    calls.updateOne(
      { _id, status: 'RUNNING', 'lease.fence': lease.fence, ...unheard },
      { $set: { status: 'ERROR', error } },
    );

  /** @param unheard condition: its worker has not reported since the call was read */
  async function giveBack(call: ComponentCall, unheard: object): Promise<void> {
    if (call.status === 'QUEUED' || call.mayRunAgain) await queueAgain(call, unheard);
    else await fail(call, unheard, 'The process that was running the step ended, and the step must not run again.');
  }

  return {
    /** Stores a call and queues it, in one transaction, unless it exists. */
    async open(call: ComponentCall): Promise<void> {
      try {
        await mongo.transaction(async (session) => {
          await calls.insertMany([call], { session });
          await queue(session, call, call._id);
        });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
    find: async (id: string): Promise<ComponentCall | undefined> => (await calls.findById(id).lean()) ?? undefined,
    /** For one worker at a time; undefined when it has ended, is held, or may not be repeated. */
    claim: (_id: string): Promise<ComponentCall | undefined> => {
      const mayBegin = [{ status: 'QUEUED' }, { status: 'RUNNING', mayRunAgain: true }];
      return leases.claim({ _id, $or: mayBegin }, { set: { status: 'RUNNING' } });
    },
    /** False when the worker no longer holds the call. */
    async report(_id: string, { fence, progress, log = [], outcome }: CallReport): Promise<boolean> {
      const call = await calls.findOne({ _id, 'lease.fence': fence, status: 'RUNNING' }).lean();
      if (!call) return false;
      const $set = {
        ...(progress && { percent: progress.percent, message: progress.message ?? '' }),
        ...endOf(outcome),
      };
      const $push = log.length > 0 && { lines: { $each: log, $slice: MAX_LINES } };
      const release = outcome !== undefined && outcome.status !== 'INTERRUPTED';
      const saysSomething = $push || Object.keys($set).length > 0;
      if (saysSomething && !(await leases.write(call, { $set, ...($push && { $push }) }, { release }))) return false;
      if (outcome?.status === 'INTERRUPTED') await giveBack(call, {});
      return outcome !== undefined || leases.extend(call);
    },
    /** Requeues a call whose job may be lost or whose worker died. A call that may not be repeated ends as ERROR. */
    recover: (call: ComponentCall): Promise<void> =>
      giveBack(call, call.lease.until ? { 'lease.until': call.lease.until } : {}),
  };
}

export type ComponentCallStore = ReturnType<typeof createComponentCallStore>;

function endOf(outcome: CallReport['outcome']): Partial<ComponentCall> {
  if (outcome?.status === 'COMPLETED')
    return { status: 'COMPLETED', resultText: JSON.stringify(outcome.result ?? null) };
  return outcome?.status === 'ERROR' ? { status: 'ERROR', error: outcome.message } : {};
}
