import type { Criteria, Listing } from '@dtplatform/contracts';
import type { ListQuery } from '../list-query.js';
import type { Item } from '../nameduseritems/item.js';
import type { RelatedItem } from '../relateditems/related-item.js';
import type { Version } from '../versions/version.js';
import type { DownSampling } from './down-sampling.js';
import type { PlacedReading, ShownReading } from './reading.js';

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

export interface ReadingStore {
  /**
   * The telemetry items of a version with these ids, and those with these source ids; of several with one source id, the
   * oldest.
   */
  findTelemetryItems(owner: ReadingOwner, wanted: WantedTelemetryItems): Promise<KnownTelemetryItems>;
  /**
   * Stores readings, all or none, and reports usage. Once it has resolved they are safe, and as a rule they can be read.
   * @returns how many
   * @throws 404 when the version is gone, 413 when they are too large
   */
  insert(owner: ReadingOwner, readings: PlacedReading[]): Promise<number>;
  /** @param allowed those of all telemetry items, or of those that match one of the criteria */
  list(owner: ReadingOwner, query: ReadingQuery, allowed: 'all' | Criteria[]): Promise<Listing<ShownReading>>;
}
