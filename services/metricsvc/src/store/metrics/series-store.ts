import type { Mongo } from '@dtplatform/mongo';
import type { Month } from '../domain/hours.js';
import { METRICS } from '../domain/metric-catalogue.js';
import type { SeriesStore } from '../domain/ports.js';
import type { SeriesName } from '../domain/series-name.js';
import { aliasId, collections, monthId, seriesId } from './documents.js';

/** Reads series by id: one document for a value, one more for each month of a period. */
export function createSeriesStore(mongo: Mongo): SeriesStore {
  const { series, months: monthDocuments, aliases } = collections(mongo.db);

  /** The series under its own values in place of other names that were given for them. */
  async function underOwnValues({ namespace, metric, values }: SeriesName): Promise<SeriesName> {
    const own: string[] = [];
    const path: string[] = [];
    for (const [index, given] of values.entries()) {
      const dimension = METRICS[metric][index]!;
      const alias = await aliases.findOne({ _id: aliasId(namespace, [...path, dimension, given]) });
      own.push(alias?.value ?? given);
      path.push(dimension, own[index]!);
    }
    return { namespace, metric, values: own };
  }

  /** Reads under the given values; where there is nothing, they may be other names. */
  async function read<T>(name: SeriesName, find: (id: string) => Promise<T | undefined>): Promise<T | undefined> {
    const found = await find(seriesId(name));
    if (found !== undefined || name.values.length === 0) return found;
    return find(seriesId(await underOwnValues(name)));
  }

  async function hoursOf(id: string, months: Month[]): Promise<Map<Month, Record<number, number>>> {
    const ids = months.map((month) => monthId(id, month));
    const documents = await monthDocuments.find({ _id: { $in: ids } }, { batchSize: ids.length + 1 }).toArray();
    return new Map(documents.map(({ _id, hours }) => [_id.slice(-'2026-11'.length), hours]));
  }

  return {
    value: (name) => read(name, async (id) => (await series.findOne({ _id: id }, { projection: { value: 1 } }))?.value),
    changes: (name, months) =>
      read(name, async (id) => {
        const [document, hours] = await Promise.all([series.findOne({ _id: id }), hoursOf(id, months)]);
        return document ? { months: document.months, hours } : undefined;
      }),
  };
}
