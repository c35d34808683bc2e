import { errors } from '../errors.js';
import type { Item } from '../nameduseritems/item.js';
import type { ListQuery } from '../query/parse-query.js';
import type { RelatedItem } from '../relateditems/related-item.js';
import type { Version } from '../versions/version.js';
import { valuesOf } from './reading.js';
import type { DownSampling, NewReading, PlacedReading } from './reading.js';

/** Which version of which telemetry collection readings belong to. */
export interface ReadingOwner {
  item: Item;
  version: Pick<Version, '_id' | '_version'>;
}

/** Names a telemetry item of a version of a collection. */
export interface TelemetryItemOf {
  itemId: string;
  versionId: string;
  telItemId: string;
}

/** A list call for readings. */
export interface ReadingQuery extends ListQuery {
  downSampling?: DownSampling;
}

/** A row of a telemetry collection, with some of its fields. */
export type TelemetryItem = Pick<RelatedItem, '_id'> & { _sourceId: string } & Record<string, unknown>;

export interface WantedTelemetryItems {
  ids: string[];
  sourceIds: string[];
  /** Those of their fields that are needed besides. */
  fields?: string[];
}

/** Telemetry items by how readings name them. */
export interface KnownTelemetryItems {
  byId: Map<string, TelemetryItem>;
  bySourceId: Map<string, TelemetryItem>;
}

const MAX_DETAILS = 20;

/** The telemetry items that readings name. */
export function sourcesIn(readings: readonly NewReading[]): { ids: string[]; sourceIds: string[] } {
  const ids = new Set<string>();
  const sourceIds = new Set<string>();
  for (const { _tsMetadata } of readings) {
    if (_tsMetadata._telItemId !== undefined) ids.add(_tsMetadata._telItemId);
    else sourceIds.add(_tsMetadata._sourceId!);
  }
  return { ids: [...ids], sourceIds: [...sourceIds] };
}

/** Finds the telemetry item of each reading. @throws 400 that names the readings without one */
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
      message: 'names no telemetry item of the version',
    }));
    throw errors.telemetryItemMissing({ details });
  }
  return placed as PlacedReading[];
}
