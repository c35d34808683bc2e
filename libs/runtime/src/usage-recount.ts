import { LAST_OWNER, usageRecorded } from '@dtplatform/contracts';
import type { UsageChange, UsageRecorded, UsageRecount, UsageRecountQuery } from '@dtplatform/contracts';
import { isTimeLimitExceeded } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { readWaiting } from '@dtplatform/queue';

/** Messages in the outbox. With more of them, metricsvc is so far behind that comparing is of no use. */
const MAX_WAITING = 10_000;
/** Of the messages about one namespace: some 30,000 changes, which are read and sent with each part of a recount. */
const MAX_WAITING_BYTES = 8 * 2 ** 20;
/** Of all queries of a recount: shorter than a transaction and the caller may wait. */
const MAX_QUERY_MS = 12_000;
const LIMITS = { maxScanned: MAX_WAITING, maxBytes: MAX_WAITING_BYTES };
const NOTHING = { _changes: [], _waiting: [], _unsettled: [] };

/** The ids of files or items: after `after` and up to `until`. */
export interface OwnerRange {
  namespace: string;
  after: string;
  until: string;
}

/** Options of the driver for each query of a recount: what is left of its time. */
export interface RecountOptions {
  session: ClientSession;
  readonly maxTimeMS: number;
}

const optionsUntil = (deadline: number, session: ClientSession): RecountOptions => ({
  session,
  get maxTimeMS() {
    // To MongoDB 0 is no limit.
    return Math.max(1, Math.ceil(deadline - performance.now()));
  },
});

export interface OwnersUsage {
  changes: UsageChange[];
  /** Owners whose amounts are being changed by more than the transaction sees. */
  unsettled?: string[];
}

/** What a service holds, from its own collections and not from messages. Reads are bounded by a namespace and in time. */
export interface RecountSource {
  /** The metrics without dimensions. */
  ofNamespace(namespace: string, options: RecountOptions): Promise<UsageChange[]>;
  /** The metrics with dimensions; a service without any leaves these two out. @returns undefined if it is too much at once */
  ofOwners?(range: OwnerRange, options: RecountOptions): Promise<OwnersUsage | undefined>;
  /** The last owner of the range that begins after an id; undefined if fewer are left than a range may have. */
  endOfRange?(namespace: string, after: string): Promise<string | undefined>;
}

export type RecountUsage = (query: UsageRecountQuery) => Promise<UsageRecount>;

/**
 * Recounts usage in one snapshot, together with the messages that metricsvc may not have added: what it has added, plus those
 * of them that it has not, must be what is held.
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
