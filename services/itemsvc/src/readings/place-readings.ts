import { errors } from '../errors.js';
import type { Item } from '../nameduseritems/item.js';
import type { ListQuery } from '../query/parse-query.js';
import type { RelatedItem } from '../relateditems/related-item.js';
import type { Version } from '../versions/version.js';
import { valuesOf } from './reading.js';
import type { DownSampling, NewReading, PlacedReading } from './reading.js';

/** The version of a telemetry collection that owns readings. */
export interface ReadingOwner {
  item: Item;
  version: Pick<Version, '_id' | '_version'>;
}

export interface TelemetryItemOf {
  itemId: string;
  versionId: string;
  telItemId: string;
}

export interface ReadingQuery extends ListQuery {
  downSampling?: DownSampling;
}

/** A telemetry item with some of its fields. */
export type TelemetryItem = Pick<RelatedItem, '_id'> & { _sourceId: string } & Record<string, unknown>;

export interface WantedTelemetryItems {
  ids: string[];
  sourceIds: string[];
  /** Additional fields to read. */
  fields?: string[];
}

/** Telemetry items by the names that readings use. */
export interface KnownTelemetryItems {
  byId: Map<string, TelemetryItem>;
  bySourceId: Map<string, TelemetryItem>;
}

const MAX_DETAILS = 20;

export function sourcesIn(readings: readonly NewReading[]): { ids: string[]; sourceIds: string[] } {
  const ids = new Set<string>();
  const sourceIds = new Set<string>();
  for (const { _tsMetadata } of readings) {
    if (_tsMetadata._telItemId !== undefined) ids.add(_tsMetadata._telItemId);
    else sourceIds.add(_tsMetadata._sourceId!);
  }
  return { ids: [...ids], sourceIds: [...sourceIds] };
}

/** Resolves the telemetry item of each reading. @throws 400 listing the readings without one */
export function placeReadings(
  readings: readonly NewReading[],
  { byId, bySourceId }: KnownTelemetryItems,
): PlacedReading[] {
  const missing: number[] = [];
  const placed = readings.map((reading, index): PlacedReading | undefined => {
    const { _telItemId, _sourceId } = reading._tsMetadata;
    const item = _telItemId === undefined ? bySourceId.get(_sourceId!) : byId.get(_telItemId);
    if (!item || (_sourceId !== undefined && item._sourceId !== _sourceId)) {
      missing.push(index);
      return undefined;
    }
    const source = { _telItemId: item._id, _sourceId: item._sourceId };
    return { ts: reading._ts, source, values: valuesOf(reading) };
  });
  if (missing.length > 0) {
    const details = missing.slice(0, MAX_DETAILS).map((index) => ({
      location: `body.${index}._tsMetadata`,
      message: 'does not refer to a telemetry item of the version',
    }));
    throw errors.telemetryItemMissing({ details });
  }
  return placed as PlacedReading[];
}
