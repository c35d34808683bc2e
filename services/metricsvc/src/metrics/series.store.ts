import { oneOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { METRIC_NAMES, METRICS } from './metric-catalogue.js';
import type { MetricName } from './metric-catalogue.js';
import { aliasId, dimensionAliasModel, monthId, seriesModel, seriesMonthModel } from './metrics.model.js';
import type { Month } from './period.js';
import { seriesKey, seriesOf } from './series.js';
import type { SeriesChanges, SeriesName } from './series.js';

/** A value is one document; each month of a period is one more. */
export function createSeriesStore(mongo: Mongo) {
  const series = mongo.model(seriesModel);
  const seriesMonths = mongo.model(seriesMonthModel);
  const aliases = mongo.model(dimensionAliasModel);

  /** Replaces aliases among the values of a series. */
  async function resolveAliases({ namespace, metric, values }: SeriesName): Promise<SeriesName> {
    const own: string[] = [];
    const path: string[] = [];
    for (const [index, given] of values.entries()) {
      const dimension = METRICS[metric][index]!;
      const alias = await aliases.findById(aliasId(namespace, [...path, dimension, given])).lean();
      own.push(alias?.value ?? given);
      path.push(dimension, own[index]!);
    }
    return { namespace, metric, values: own };
  }

  /** Tries the values as they are, then as aliases. */
  async function read<T>(name: SeriesName, find: (id: string) => Promise<T | undefined>): Promise<T | undefined> {
    const found = await find(seriesKey(name));
    if (found !== undefined || name.values.length === 0) return found;
    return find(seriesKey(await resolveAliases(name)));
  }

  async function hoursOf(id: string, months: Month[]): Promise<SeriesChanges['hours']> {
    const ids = months.map((month) => monthId(id, month));
    const documents = await seriesMonths.find({ _id: oneOf(ids) }, null, {
      batchSize: ids.length + 1,
      lean: true,
    });
    return new Map(documents.map(({ _id, hours }) => [_id.slice(-'2026-11'.length), hours]));
  }

  return {
    /** Undefined if nothing was ever recorded. */
    value: (name: SeriesName): Promise<number | undefined> =>
      read(name, async (id) => (await series.findById(id, { value: 1 }).lean())?.value),
    /** The metrics of a whole namespace for which something was recorded. */
    async values(namespace: string): Promise<Map<MetricName, number>> {
      const ids = METRIC_NAMES.map((metric) => seriesKey({ namespace, metric, values: [] }));
      const found = await series.find({ _id: oneOf(ids) }, { value: 1 }).lean();
      return new Map(found.map(({ _id, value }) => [seriesOf(_id).metric, value]));
    },
    /** Changes by month, and by hour for the given months; undefined if nothing was ever recorded. */
    changes: (name: SeriesName, months: Month[]): Promise<SeriesChanges | undefined> =>
      read(name, async (id) => {
        const [document, hours] = await Promise.all([series.findById(id).lean(), hoursOf(id, months)]);
        return document ? { months: document.months, hours } : undefined;
      }),
  };
}

export type SeriesStore = ReturnType<typeof createSeriesStore>;
