import { METRICS } from '@dtplatform/stack/client';
import { storeFile } from '@dtplatform/bench/callers';
import { inMongo } from '../../tools/in-pod.js';
import { keepCalling, orUndo, SENDERS, stop, undoAll, type Fault } from '../fault.js';
import { collectionFails } from './collection-fails.js';
import { NAMESPACE, putMessages, removeMessages, usageOf } from './messages.js';

/** More than the 10 000 messages that may wait, plus those that the worker holds or will retry. */
const MANY_MESSAGES = 12_000;
const DAY_AND_MORE_MS = 25 * 3_600_000;

/** Comparisons of metricsvc's worker; periodic ones are found by their due time. */
const compareAt = (ageMs: number, more = '') =>
  `await db('metricsvc').collection('reconciliations').updateOne(
  { 'internal.isPeriodic': true, _status: { $in: ['QUEUED', 'RUNNING'] } },
  { $set: { 'internal.dueAt': new Date(Date.now() - ${ageMs}) ${more} } });`;

/** The worker waits for its database and keeps its jobs. */
export const usageCannotBeStored = collectionFails('A collection of metricsvc fails', ['metricsvc', 'series'], {
  fires: {
    UsageLags: ['metricsvc'],
    QueueGrows: ['metricsvc'],
    MessagesWait: ['filesvc'],
  },
  async during(lab) {
    const { user, kubectl } = lab;
    const query = { namespace: user.namespace };
    await putMessages(kubectl, ['filesvc'], { count: MANY_MESSAGES, ...usageOf('dtplatform.filesvc.FileCount') });
    return keepCalling(lab, [() => user.caller.call('GET', `${METRICS}/dtplatform.filesvc.FileCount`, { query })]);
  },
});

export const usageIsUnknown: Fault = {
  what: 'A service sends a metric that metricsvc does not know',
  fires: { UsageIsUnknown: ['metricsvc'] },
  async make({ kubectl }) {
    await putMessages(kubectl, ['filesvc'], { count: 1, ...usageOf('dtplatform.filesvc.MetricOfTomorrow') });
    return () => inMongo(kubectl, `await db('metricsvc').collection('unknown_usage').deleteMany({});`);
  },
};

/** Checked soon, instead of a minute after the hand-over. */
const checkFailures = `for (const service of ${JSON.stringify(SENDERS)})
  await db(service).collection('outbox').updateMany(
    { _id: /^monitors-test-/, checkAt: { $gt: 0 }, failure: { $exists: false } }, { $set: { checkAt: 1 } });`;

export const messagesAreInvalid: Fault = {
  what: 'Services send messages that metricsvc refuses',
  fires: { JobsFail: ['metricsvc'], MessagesFail: SENDERS },
  async make(lab) {
    const { kubectl } = lab;
    await putMessages(kubectl, SENDERS, {
      count: 2,
      ...usageOf('x'),
      payload: { messages: [{ _namespace: NAMESPACE }] },
    });
    const stopChecks = keepCalling(lab, [() => inMongo(kubectl, checkFailures)], 5_000);
    return async () => {
      await stopChecks();
      await removeMessages(kubectl, SENDERS);
    };
  },
};

/** Only a bug makes metrics wrong, so the test changes one in the database. */
export const usageDiffers: Fault = {
  what: 'A metric differs from what filesvc holds',
  fires: { UsageDiffers: ['metricsvc'] },
  async make({ kubectl, user }) {
    await storeFile(user, 'counted');
    const add = (amount: number) =>
      inMongo(
        kubectl,
        `const _id = '${user.namespace}/dtplatform.filesvc.FileCount';
for (let matched = 0; matched === 0; await new Promise((next) => setTimeout(next, 200)))
  matched = (await db('metricsvc').collection('series').updateOne({ _id }, { $inc: { value: ${amount} } })).matchedCount;
${compareAt(0)}`,
      );
    await add(7);
    return () => add(-7);
  },
};

/** Sets the due time back, because the test cannot wait for a day. */
export const comparisonHangs: Fault = {
  what: 'A worker of metricsvc keeps the comparison of metrics to itself and does not begin',
  fires: { UsageIsNotCompared: ['metricsvc'] },
  async make({ kubectl }) {
    const lease = (update: string) =>
      `await db('metricsvc').collection('leases').updateOne({ _id: 'usage-reconciliation' }, ${update}, { upsert: true });`;
    const hold = '{ $inc: { fence: 1 }, $set: { until: new Date(Date.now() + 3_600_000) } }';
    await inMongo(kubectl, `${lease(hold)}\n${compareAt(DAY_AND_MORE_MS)}`);
    return () => inMongo(kubectl, lease('{ $unset: { until: 1 } }'));
  },
};

/** Shortens the ten attempts at a namespace to one. */
const giveUpSoon = `await db('metricsvc').collection('reconciliations').updateMany(
  { _status: 'RUNNING', 'internal.failures': { $lt: 9 } }, { $set: { 'internal.failures': 9 } });`;

/** Only the last namespace: each that cannot be compared takes several seconds, and there may be many. */
const compareLast = `
const series = db('metricsvc').collection('series');
const lastBefore = (_id) => series.findOne(_id ? { _id: { $lt: _id } } : {}, { sort: { _id: -1 } });
const namespaceOf = (one) => one._id.split('/', 1)[0];
const previous = await lastBefore(namespaceOf(await lastBefore()) + '/');
const after = previous ? decodeURIComponent(namespaceOf(previous)) : '';
${compareAt(0, `, 'internal.after': after`)}`;

export const comparisonFails: Fault = {
  what: 'filesvc is stopped while metrics are compared',
  fires: { UsageStaysUncompared: ['metricsvc'] },
  async make(lab) {
    const { kubectl } = lab;
    const startFilesvc = await stop(lab, 'deployment/filesvc');
    const stopGivingUp = keepCalling(lab, [() => inMongo(kubectl, giveUpSoon)], 1_000);
    const undo = undoAll(() => inMongo(kubectl, compareAt(0)), startFilesvc, stopGivingUp);
    await orUndo(undo, () => inMongo(kubectl, compareLast));
    return undo;
  },
};
