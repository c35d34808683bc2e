import type { Listing } from '@dtplatform/contracts';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import type { Item } from '../nameduseritems/item.js';
import { allowedRelated, criteriaFields, isAmong } from '../relateditems/collections.js';
import type { Versions } from '../versions/versions.js';
import { placeReadings, sourcesIn } from './place-readings.js';
import type { KnownTelemetryItems, ReadingOwner, ReadingQuery, TelemetryItem } from './place-readings.js';
import type { NewReading, ShownReading } from './reading.js';
import type { ReadingStore } from './readings.store.js';

/** The telemetry collection of a call, its version (the tip when undefined) and its caller. */
interface ReadingContext {
  item: Item;
  versionId: string | undefined;
  /** `nsfilter` */
  namespace: string;
  access: Access;
}

interface Deps {
  readingStore: ReadingStore;
  versions: Pick<Versions, 'get'>;
}

/** Readings of the telemetry items in a version of a telemetry collection. */
export function createReadings({ readingStore, versions }: Deps) {
  async function ownerOf({ item, versionId }: ReadingContext): Promise<ReadingOwner> {
    if (item._itemClass !== 'NamedTelemetryCollection') throw errors.noReadings();
    return { item, version: await versions.get(item, versionId) };
  }

  return {
    /**
     * Stores readings, all or none. Gives how many.
     * @throws 400 when one names no telemetry item of the version that the caller may read, 403 when the caller may create only
     * related items that match criteria, and one of the telemetry items does not
     */
    async add(readings: NewReading[], context: ReadingContext): Promise<number> {
      const owner = await ownerOf(context);
      const readable = await allowedRelated(context.access, 'READ', context.item, context.namespace);
      const allowed = await allowedRelated(context.access, 'CREATE', context.item, context.namespace);
      const wanted = { ...sourcesIn(readings), fields: criteriaFields(readable, allowed) };
      const known = await readingStore.findTelemetryItems(owner, wanted);
      // What a caller cannot read does not exist for it.
      const visible = only(known, (item) => isAmong(readable, item));
      const placed = placeReadings(readings, visible);
      const chosen = [...visible.byId.values(), ...visible.bySourceId.values()];
      if (!chosen.every((item) => isAmong(allowed, item)))
        throw await context.access.refusal('CREATE', context.item._irn, [context.namespace]);
      return readingStore.insert(owner, placed);
    },

    /** The readings of the telemetry items that the caller may read, as they are or down-sampled. */
    async list(context: ReadingContext, query: ReadingQuery): Promise<Listing<ShownReading>> {
      const owner = await ownerOf(context);
      const allowed = await allowedRelated(context.access, 'READ', context.item, context.namespace);
      return readingStore.list(owner, query, allowed);
    },
  };
}

export type Readings = ReturnType<typeof createReadings>;

const only = (
  { byId, bySourceId }: KnownTelemetryItems,
  test: (item: TelemetryItem) => boolean,
): KnownTelemetryItems => {
  const those = (all: Map<string, TelemetryItem>) => new Map([...all].filter(([, item]) => test(item)));
  return { byId: those(byId), bySourceId: those(bySourceId) };
};
