import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { keyOf, seriesKey } from '../../domain/metrics/series-name.js';
import type { Counted, CounterStore, CounterView, Part } from '../../domain/reconciliations/ports.js';
import type { Reconciliation } from '../../domain/reconciliations/reconciliation.js';
import type { Series } from '../../domain/metrics/series.js';
import { appliedMessageModel } from '../metrics/applied-message.model.js';
import { dimensionAliasModel } from '../metrics/dimension-alias.model.js';
import { idsBelow } from '../metrics/ids.js';
import { seriesModel, seriesMonthModel } from '../metrics/series.model.js';
import { aliasUpdate, monthUpdates, seriesUpdate } from '../metrics/updates.js';
import { closedNamespaceModel } from '../namespaces/closed-namespace.model.js';
import { reconciliationModel } from './reconciliation.model.js';

/** In one part: those of 50 or 100 owners, each with thousands of versions. */
const MAX_SERIES = 100_000;
const MAX_QUERY_MS = 6_000;

/** The counters of metrics, for reconciliations. */
export function createCounterStore(mongo: Mongo): CounterStore {
  const series = mongo.db.collection<Series>(seriesModel.collection);

  function viewOf(session: ClientSession): CounterView {
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
      async read(part, alsoKeys) {
        const nonZero = await find({ $or: idsOf(part), value: { $ne: 0 } }, MAX_SERIES + 1);
        if (nonZero.size > MAX_SERIES) return undefined;
        const others = [...alsoKeys].filter((key) => !nonZero.has(key));
        const more = others.length > 0 ? await find({ _id: { $in: others } }, others.length) : [];
        return new Map([...nonZero, ...more]);
      },

      async added(messageIds) {
        const applied = mongo.db.collection<{ _id: string }>(appliedMessageModel.collection);
        const found = await applied.find({ _id: { $in: messageIds } }, options).toArray();
        return new Set(found.map(({ _id }) => _id));
      },

      isClosed: async (_id) => (await mongo.model(closedNamespaceModel).exists({ _id }).session(session)) !== null,

      async sums(namespace, metric) {
        const key = seriesKey({ namespace, metric, values: [] });
        const ofOwners = { _id: { ...idsBelow(key), $not: /^(?:[^/]*\/){3}/ }, value: { $ne: 0 } };
        const pipeline = [{ $match: ofOwners }, { $group: { _id: null, sum: { $sum: '$value' } } }];
        const [total] = await series.aggregate<{ sum: number }>(pipeline, options).toArray();
        const whole = await series.findOne({ _id: key }, options);
        return { whole: whole?.value ?? 0, ofOwners: total?.sum ?? 0 };
      },

      async correct({ changes, aliases }) {
        await mongo.model(seriesModel).bulkWrite(changes.map(seriesUpdate), { session });
        await mongo.model(seriesMonthModel).bulkWrite(changes.flatMap(monthUpdates), { session });
        await mongo.model(dimensionAliasModel).bulkWrite(aliases.map(aliasUpdate), { session });
      },

      async updateReconciliation(id, change) {
        const reconciliations = mongo.model(reconciliationModel);
        const stored = await reconciliations.findById(id).session(session).lean<Reconciliation>();
        if (stored) await reconciliations.replaceOne({ _id: id }, change(stored), { session });
      },
    };
  }

  return {
    transaction: (work) => mongo.transaction((session) => work(viewOf(session))),

    async nextNamespace(after) {
      const isLater = after === '' ? {} : { _id: { $gte: `${keyOf([after])}0` } };
      const first = await series.findOne(isLater, { sort: { _id: 1 }, projection: { _id: 1 } });
      return first ? decodeURIComponent(first._id.split('/', 1)[0]!) : undefined;
    },
  };
}

/** Filters of the ids of a part's series, one for each metric. */
const idsOf = ({ namespace, metrics, owners }: Part) =>
  metrics.map((metric) => {
    const key = seriesKey({ namespace, metric, values: [] });
    if (!owners) return { _id: key };
    const { after, until } = owners;
    return { _id: { $gte: after === '' ? `${key}/` : `${key}/${after}0`, $lt: `${key}/${until}0` } };
  });
