import { isUnavailable } from '@dtplatform/errors';
import type { Logger } from '@dtplatform/logging';
import { BSON, coalesce, mongoErrors, newId, oneOf, onePage, touchParents } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { Outbox, Totals } from '@dtplatform/queue';
import { errors } from '../errors.js';
import { IN_ITEM, IN_VERSION, relatedItemModel } from '../relateditems/related-item.model.js';
import { readingUsage } from '../usage/usage.js';
import { createUsageOutbox, inEach } from '../usage/usage.store.js';
import { requireVersions } from '../versions/version-reads.store.js';
import { createBatches } from './batches.store.js';
import type { NewBatch } from './batches.store.js';
import type { KnownTelemetryItems, ReadingOwner, TelemetryItem, WantedTelemetryItems } from './place-readings.js';
import { createReadingLists } from './reading-lists.store.js';
import { MAX_READING_BYTES } from './reading.js';
import type { PlacedReading } from './reading.js';
import { newArrivalId, readingDeltas, retentionOf } from './readings.model.js';
import type { StoredReading } from './readings.model.js';

/** Bytes per transaction shared by several requests. */
const MAX_SHARED_BYTES = 4 * 1024 * 1024;

interface Deps {
  mongo: Mongo;
  outbox: Outbox;
  totals: Totals;
  log: Logger;
}

type Prepared = { owner: ReadingOwner } & ReturnType<typeof newBatch>;

/** Readings in time-series collections. Totals and usage of their versions change in the same transaction. */
export function createReadingStore({ mongo, outbox, totals, log }: Deps) {
  const batches = createBatches(mongo);
  const usageOutbox = createUsageOutbox(outbox);

  async function acceptAll(all: Prepared[], session: ClientSession, arrivalId?: string): Promise<() => Promise<void>> {
    if (all.length === 0) return () => Promise.resolve();
    const putAt = performance.now();
    const owners = all.map(({ owner }) => owner);
    await touchParents(mongo, [...new Set(owners.map(({ item }) => item._id))], session);
    const namespaces = await requireVersions(mongo, owners, session);
    const filled = all
      .filter(({ batch }) => batch.readings.length > 0)
      .map((one) => ({ ...one, batch: { ...one.batch, firstId: arrivalId ?? newArrivalId(session) } }));
    if (filled.length === 0) return () => Promise.resolve();
    await requireTelemetryItems(mongo, filled, session);
    await batches.put(filled, session);
    await usageOutbox.record(
      session,
      filled.flatMap(({ owner: { item, version }, batch, bytes }) => {
        const usage = readingUsage(item, version, bytes);
        const deltas = readingDeltas(version._id, { count: batch.readings.length, bytes });
        return inEach(namespaces.get(item._id)!, usage, deltas);
      }),
    );
    return () =>
      batches
        .store(
          filled.map(({ batch }) => batch),
          putAt,
        )
        .catch((error: unknown) => {
          // Already acknowledged; the worker stores them.
          log.warn({ err: error }, 'readings could not be stored; the worker will retry');
        });
  }

  async function insertAll(all: Prepared[]): Promise<void> {
    const early = () => ({ _total: all[0]!.total });
    const store = await mongo.transaction((session) => acceptAll(all, session), { early });
    await store();
  }
  // Concurrent requests share a commit and do not conflict: bench row readings.
  const insertShared = coalesce((all: Prepared[]) => insertAll(all), {
    maxWeight: MAX_SHARED_BYTES,
    weightOf: ({ content }) => content.length,
    concernsAll: (error) => isUnavailable(error) || mongoErrors(error) !== undefined,
  });

  const prepare = (owner: ReadingOwner, readings: PlacedReading[]): Prepared => ({
    owner,
    ...newBatch(owner, readings),
  });

  return {
    ...createReadingLists({ mongo, totals }),

    /**
     * Accepts readings in the caller's transaction.
     * @param arrivalId of their source, which arrived earlier
     * @returns stores the readings; to be called after the commit
     * @throws 404, 413
     */
    accept: (
      accepted: { owner: ReadingOwner; readings: PlacedReading[] }[],
      session: ClientSession,
      arrivalId?: string,
    ): Promise<() => Promise<void>> =>
      acceptAll(
        accepted.map(({ owner, readings }) => prepare(owner, readings)),
        session,
        arrivalId,
      ),

    /** Finds telemetry items of a version by id and by source id; if several share a source id, the oldest. */
    findTelemetryItems: (owner: ReadingOwner, wanted: WantedTelemetryItems): Promise<KnownTelemetryItems> =>
      findTelemetryItems(mongo, owner, wanted),

    /**
     * Stores readings, all or nothing, and records usage. When the promise resolves they are durable, and usually
     * readable.
     * @returns how many
     * @throws 404 if the version is gone, 413 if they are too large
     */
    async insert(owner: ReadingOwner, readings: PlacedReading[]): Promise<number> {
      const prepared = prepare(owner, readings);
      await (mongo.isKeyed() ? insertAll([prepared]) : insertShared(prepared));
      return readings.length;
    },
  };
}

export type ReadingStore = ReturnType<typeof createReadingStore>;

/**
 * Requires `touchParents`, so that the telemetry items exist until the commit.
 * @throws 400 if one is gone: its readings would be removed without being subtracted
 */
async function requireTelemetryItems(
  mongo: Mongo,
  all: Pick<Prepared, 'batch'>[],
  session: ClientSession,
): Promise<void> {
  const ids = new Set(all.flatMap(({ batch }) => batch.readings.map(({ _tsMetadata }) => _tsMetadata._telItemId)));
  const wanted = { _id: oneOf(ids) };
  const found = await mongo.model(relatedItemModel).countDocuments(wanted).session(session);
  if (found < ids.size) throw errors.telemetryItemMissing();
}

const MAX_CONTENT_BYTES = 12 * 1024 * 1024;
/** BSON of `{ readings: [] }`, without elements. */
const EMPTY_BYTES = BSON.calculateObjectSize({ readings: [] });
/** The id that a reading gets when it is stored. */
const ID_BYTES = BSON.calculateObjectSize({ _id: new BSON.ObjectId() }) - BSON.calculateObjectSize({});

type PreparedBatch = Omit<NewBatch, 'firstId'>;

/**
 * Builds a batch, without readings that have already expired: their bucket may be removed at any time.
 * @returns `total`: readings given; `bytes`: size of those in the batch
 * @throws 413
 */
export function newBatch({ item, version }: ReadingOwner, readings: PlacedReading[]) {
  const retention = retentionOf(item);
  const expiredAt = retention.expiredAt(Date.now());
  const stored: StoredReading[] = [];
  for (const { ts, source, values } of readings) {
    if (expiredAt && ts <= expiredAt) continue;
    const _until = retention.untilOf(ts);
    const _tsMetadata = { _itemId: item._id, _versionId: version._id, ...source, _until };
    stored.push({ _id: undefined, _ts: ts, _tsMetadata, ...values });
  }
  const content = serialize(stored);
  const batch: PreparedBatch = {
    _id: newId(),
    _itemId: item._id,
    _versionId: version._id,
    granularity: retention.granularity,
    readings: stored,
  };
  const bytes = content.length - EMPTY_BYTES - keyBytes(stored.length) + stored.length * ID_BYTES;
  return { batch, content, total: readings.length, bytes };
}

function serialize(readings: StoredReading[]): Buffer {
  const content = Buffer.from(BSON.serialize({ readings }));
  const isLarge =
    content.length > MAX_READING_BYTES && readings.some((one) => BSON.calculateObjectSize(one) > MAX_READING_BYTES);
  if (isLarge || content.length > MAX_CONTENT_BYTES) throw errors.readingTooLarge();
  return content;
}

/** BSON overhead of array elements: a type, the index as text, and a terminator. */
function keyBytes(count: number): number {
  let bytes = 0;
  for (let from = 0, digits = 1; from < count; digits++) {
    const to = Math.min(count, 10 ** digits);
    bytes += (to - from) * (digits + 2);
    from = to;
  }
  return bytes;
}

/** Ids per query, well below the size limits of commands and responses. */
const MAX_IDS = 10_000;
/** The oldest per source id, selected in MongoDB because there may be many large ones. */
const OLDEST = [
  { $group: { _id: '$_sourceId', oldest: { $top: { sortBy: { _id: 1 }, output: '$$ROOT' } } } },
  { $replaceWith: '$oldest' },
];

export async function findTelemetryItems(
  mongo: Mongo,
  { item, version }: ReadingOwner,
  { ids, sourceIds, fields = [] }: WantedTelemetryItems,
): Promise<KnownTelemetryItems> {
  const { collection } = mongo.model(relatedItemModel);
  const $project = Object.fromEntries(['_id', '_sourceId', ...fields].map((name) => [name, 1]));

  async function find(path: '_id' | '_sourceId', values: string[], choose: object[] = []) {
    const found = new Map<string, TelemetryItem>();
    for (let from = 0; from < values.length; from += MAX_IDS) {
      const some = values.slice(from, from + MAX_IDS);
      const $match = { [IN_ITEM]: item._id, [IN_VERSION]: version._id, [path]: { $in: some } };
      const page = await onePage<TelemetryItem>(collection, [{ $match }, { $project }, ...choose], some.length);
      for (const one of page) found.set(one[path], one);
    }
    return found;
  }

  return { byId: await find('_id', ids), bySourceId: await find('_sourceId', sourceIds, OLDEST) };
}
