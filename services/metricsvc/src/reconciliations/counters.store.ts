import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { MetricName } from '../metrics/metric-catalogue.js';
import {
  appliedMessageModel,
  closedNamespaceModel,
  dimensionAliasModel,
  idsBelow,
  seriesModel,
  seriesMonthModel,
} from '../metrics/metrics.model.js';
import { aliasUpdate, monthUpdates, seriesUpdate } from '../metrics/series-updates.store.js';
import { keyOf, seriesKey } from '../metrics/series.js';
import type { Correction, Counted, Part } from './compare.js';
import type { Reconciliation } from './reconciliation.js';
import { reconciliationModel } from './reconciliations.store.js';

/** Per part: 50 or 100 owners, each with thousands of versions. */
const MAX_SERIES = 100_000;
const MAX_QUERY_MS = 6_000;

const seriesIn = (mongo: Mongo) => mongo.collection(seriesModel);

export function createCounterStore(mongo: Mongo) {
  return {
    transaction: <T>(work: (view: CounterView) => Promise<T>): Promise<T> =>
      mongo.transaction((session) => work(openView(mongo, session))),

    /** The next namespace with series; `''` starts from the first. */
    async nextNamespace(after: string): Promise<string | undefined> {
      const isLater = after === '' ? {} : { _id: { $gte: `${keyOf([after])}0` } };
      const first = await seriesIn(mongo).findOne(isLater, { sort: { _id: 1 }, projection: { _id: 1 } });
      return first ? decodeURIComponent(first._id.split('/', 1)[0]!) : undefined;
    },
  };
}

export type CounterStore = ReturnType<typeof createCounterStore>;

/** A transaction on counters and on their reconciliation. */
function openView(mongo: Mongo, session: ClientSession) {
  const series = seriesIn(mongo);
  const options = { session, maxTimeMS: MAX_QUERY_MS };

  async function find(filter: object, limit: number): Promise<Map<string, Counted>> {
    const projection = { value: 1, writes: 1 };
    const found = await series
      .find(filter, { ...options, projection })
      .limit(limit)
      .toArray();
    return new Map(found.map(({ _id, value, writes }) => [_id, { value, writes }]));
  }

  return {
    /** The series of a part, by key: non-zero ones and the given keys. Undefined if there are too many. */
    async read(part: Part, alsoKeys: Iterable<string>): Promise<Map<string, Counted> | undefined> {
      const nonZero = await find({ $or: idsOf(part), value: { $ne: 0 } }, MAX_SERIES + 1);
      if (nonZero.size > MAX_SERIES) return undefined;
      const others = [...alsoKeys].filter((key) => !nonZero.has(key));
      const more = others.length > 0 ? await find({ _id: { $in: others } }, others.length) : [];
      return new Map([...nonZero, ...more]);
    },

    /** The given messages that were added. */
    async added(messageIds: string[]): Promise<Set<string>> {
      const applied = mongo.db.collection<{ _id: string }>(appliedMessageModel.collection);
      const found = await applied.find({ _id: { $in: messageIds } }, options).toArray();
      return new Set(found.map(({ _id }) => _id));
    },

    isClosed: async (_id: string): Promise<boolean> =>
      (await mongo.model(closedNamespaceModel).exists({ _id }).session(session)) !== null,

    /** The value of a metric in a namespace, and the sum over its owners. */
    async sums(namespace: string, metric: MetricName): Promise<{ whole: number; ofOwners: number }> {
      const key = seriesKey({ namespace, metric, values: [] });
      const ofOwners = { _id: { ...idsBelow(key), $not: /^(?:[^/]*\/){3}/ }, value: { $ne: 0 } };
      const pipeline = [{ $match: ofOwners }, { $group: { _id: null, sum: { $sum: '$value' } } }];
      const [total] = await series.aggregate<{ sum: number }>(pipeline, options).toArray();
      const whole = await series.findOne({ _id: key }, options);
      return { whole: whole?.value ?? 0, ofOwners: total?.sum ?? 0 };
    },

    async correct({ changes, aliases }: Correction): Promise<void> {
      await mongo.model(seriesModel).bulkWrite(changes.map(seriesUpdate), { session });
      await mongo.model(seriesMonthModel).bulkWrite(changes.flatMap(monthUpdates), { session });
      await mongo.model(dimensionAliasModel).bulkWrite(aliases.map(aliasUpdate), { session });
    },

    async updateReconciliation(id: string, change: (one: Reconciliation) => Reconciliation): Promise<void> {
      const reconciliations = mongo.model(reconciliationModel);
      const stored = await reconciliations.findById(id).session(session).lean<Reconciliation>();
      if (stored) await reconciliations.replaceOne({ _id: id }, change(stored), { session });
    },
  };
}

export type CounterView = ReturnType<typeof openView>;

/** One id filter per metric. */
const idsOf = ({ namespace, metrics, owners }: Part) =>
  metrics.map((metric) => {
    const key = seriesKey({ namespace, metric, values: [] });
    if (!owners) return { _id: key };
    const { after, until } = owners;
    return { _id: { $gte: after === '' ? `${key}/` : `${key}/${after}0`, $lt: `${key}/${until}0` } };
  });
