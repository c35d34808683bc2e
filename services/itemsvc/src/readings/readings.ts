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

/** The version defaults to the tip. */
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

export function createReadings({ readingStore, versions }: Deps) {
  async function ownerOf({ item, versionId }: ReadingContext): Promise<ReadingOwner> {
    if (item._itemClass !== 'NamedTelemetryCollection') throw errors.noReadings();
    return { item, version: await versions.get(item, versionId) };
  }

  return {
    /**
     * Stores readings, all or nothing. @returns how many
     * @throws 400 if a reading names no telemetry item that the caller may read, 403 if the caller's permission to
     * create has criteria that a telemetry item does not match
     */
    async add(readings: NewReading[], context: ReadingContext): Promise<number> {
      const owner = await ownerOf(context);
      const readable = await allowedRelated(context.access, 'READ', context.item, context.namespace);
      const allowed = await allowedRelated(context.access, 'CREATE', context.item, context.namespace);
      const wanted = { ...sourcesIn(readings), fields: criteriaFields(readable, allowed) };
      const known = await readingStore.findTelemetryItems(owner, wanted);
      // Telemetry items that the caller may not read are treated as missing.
      const visible = only(known, (item) => isAmong(readable, item));
      const placed = placeReadings(readings, visible);
      const chosen = [...visible.byId.values(), ...visible.bySourceId.values()];
      if (!chosen.every((item) => isAmong(allowed, item)))
        throw await context.access.refusal('CREATE', context.item._irn, [context.namespace]);
      return readingStore.insert(owner, placed);
    },

    /** The readings of readable telemetry items, raw or down-sampled. */
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
