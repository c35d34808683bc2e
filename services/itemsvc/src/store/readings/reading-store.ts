import { isUnavailable } from '@dtplatform/errors';
import type { Logger } from '@dtplatform/logging';
import { coalesce, mongoErrors, oneOf, touchParents } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { Outbox, Totals } from '@dtplatform/queue';
import { readingUsage } from '../../domain/nameduseritems/usage.js';
import type { ReadingOwner, ReadingStore } from '../../domain/readings/ports.js';
import type { PlacedReading } from '../../domain/readings/reading.js';
import { errors } from '../../errors.js';
import { relatedItemModel } from '../relateditems/related-item.model.js';
import { createUsageOutbox, inEach } from '../usage/usage-outbox.js';
import { requireVersions } from '../versions/require-versions.js';
import { createBatches } from './batches.js';
import { newBatch } from './new-batch.js';
import { newArrivalId } from './reading-ids.js';
import { createReadingLists } from './reading-lists.js';
import { readingDeltas } from './reading-totals.js';
import { findTelemetryItems } from './telemetry-items.js';

/** Of requests that share a transaction. */
const MAX_SHARED_BYTES = 4 * 1024 * 1024;

interface Deps {
  mongo: Mongo;
  outbox: Outbox;
  totals: Totals;
  log: Logger;
}

/** Readings of one version that are accepted together. */
type Prepared = { owner: ReadingOwner } & ReturnType<typeof newBatch>;

/** Readings in time-series collections, with the totals and usage of their versions. */
export function createReadingStore({ mongo, outbox, totals, log }: Deps): ReadingStore & {
  /**
   * Accepts readings in the caller's transaction.
   * @param arrivalId of what they were made of, which arrived before
   * @returns stores them, once it is committed
   * @throws 404, 413
   */
  accept(
    accepted: { owner: ReadingOwner; readings: PlacedReading[] }[],
    session: ClientSession,
    arrivalId?: string,
  ): Promise<() => Promise<void>>;
} {
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
          // They are acknowledged: the worker stores them.
          log.warn({ err: error }, 'readings are left to the worker');
        });
  }

  async function insertAll(all: Prepared[]): Promise<void> {
    const early = () => ({ _total: all[0]!.total });
    const store = await mongo.transaction((session) => acceptAll(all, session), { early });
    await store();
  }
  // Requests at the same time share a commit, and do not conflict with each other: bench row readings.
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

    accept: (accepted, session, arrivalId) =>
      acceptAll(
        accepted.map(({ owner, readings }) => prepare(owner, readings)),
        session,
        arrivalId,
      ),

    findTelemetryItems: (owner, wanted) => findTelemetryItems(mongo, owner, wanted),

    async insert(owner, readings) {
      const prepared = prepare(owner, readings);
      await (mongo.isKeyed() ? insertAll([prepared]) : insertShared(prepared));
      return readings.length;
    },
  };
}

/**
 * After `touchParents`, they remain until the commit.
 * @throws 400 when one is gone: its readings would be removed uncounted
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
