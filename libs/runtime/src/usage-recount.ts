import { LAST_OWNER, usageRecorded } from '@dtplatform/contracts';
import type { UsageChange, UsageRecorded, UsageRecount, UsageRecountQuery } from '@dtplatform/contracts';
import { isTimeLimitExceeded } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { readWaiting } from '@dtplatform/queue';

/** With more messages in the outbox, metricsvc is too far behind for a comparison. */
const MAX_WAITING = 10_000;
/**
 * Limit for the messages about one namespace: some 30,000 changes, which are read and sent with each part of a recount.
 */
const MAX_WAITING_BYTES = 8 * 2 ** 20;
/** Time limit of all queries of a recount, below those of a transaction and of the caller. */
const MAX_QUERY_MS = 12_000;
const LIMITS = { maxScanned: MAX_WAITING, maxBytes: MAX_WAITING_BYTES };
const NOTHING = { _changes: [], _waiting: [], _unsettled: [] };

/** Ids of files or items: after `after` and up to `until`. */
export interface OwnerRange {
  namespace: string;
  after: string;
  until: string;
}

/** Driver options for each query of a recount: the remaining time. */
export interface RecountOptions {
  session: ClientSession;
  readonly maxTimeMS: number;
}

const optionsUntil = (deadline: number, session: ClientSession): RecountOptions => ({
  session,
  get maxTimeMS() {
    // 0 means no limit in MongoDB.
    return Math.max(1, Math.ceil(deadline - performance.now()));
  },
});

export interface OwnersUsage {
  changes: UsageChange[];
  /** Owners that concurrent writes are changing. */
  unsettled?: string[];
}

/**
 * A service's usage, computed from its own collections instead of messages. Reads are bounded by namespace and time.
 */
export interface RecountSource {
  /** The metrics without dimensions. */
  ofNamespace(namespace: string, options: RecountOptions): Promise<UsageChange[]>;
  /**
   * The metrics with dimensions; optional together with `endOfRange`. @returns undefined if the range has too much data
   */
  ofOwners?(range: OwnerRange, options: RecountOptions): Promise<OwnersUsage | undefined>;
  /** The last owner of the range that starts after an id; undefined if the rest is smaller than a full range. */
  endOfRange?(namespace: string, after: string): Promise<string | undefined>;
}

export type RecountUsage = (query: UsageRecountQuery) => Promise<UsageRecount>;

/**
 * Recounts usage in one snapshot, together with the messages that metricsvc may not have added yet. Invariant:
 * metricsvc's totals plus the messages it has not added equal the recounted usage.
 */
export function createUsageRecount(mongo: Mongo, recountSource: RecountSource): RecountUsage {
  const read = ({ namespace, after, until }: UsageRecountQuery) =>
    mongo.transaction(async (session): Promise<Omit<UsageRecount, '_until'>> => {
      const options = optionsUntil(performance.now() + MAX_QUERY_MS, session);
      const limits = { ...LIMITS, maxTimeMS: options.maxTimeMS };
      const waiting = await readWaiting<UsageRecorded>(
        mongo,
        session,
        usageRecorded,
        { _namespace: namespace },
        limits,
      );
      if (!waiting) return { ...NOTHING, _isComplete: false };
      const usage =
        after === undefined || until === undefined
          ? { changes: await recountSource.ofNamespace(namespace, options) }
          : await recountSource.ofOwners?.({ namespace, after, until }, options);
      if (!usage) return { ...NOTHING, _isComplete: false };
      const { changes, unsettled = [] }: OwnersUsage = usage;
      const _waiting = waiting.map(({ _id, payload: { _changes } }) => ({ _id, _changes }));
      return { _changes: changes, _waiting, _unsettled: unsettled, _isComplete: true };
    });

  async function nextUntil({ namespace, until }: UsageRecountQuery): Promise<string | undefined> {
    if (!recountSource.endOfRange || until === LAST_OWNER) return undefined;
    return (await recountSource.endOfRange(namespace, until ?? '')) ?? LAST_OWNER;
  }

  return async (query) => {
    const _until = await nextUntil(query);
    const recount = await read(query).catch((error: unknown) => {
      if (isTimeLimitExceeded(error)) return { ...NOTHING, _isComplete: false };
      throw error;
    });
    return { ...recount, ...(_until !== undefined && { _until }) };
  };
}
