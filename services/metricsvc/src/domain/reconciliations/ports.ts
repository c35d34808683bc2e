import type { UsageRecount, UsageRecountQuery } from '@dtplatform/contracts';
import type { Alias, SeriesChange } from '../metrics/fold-usage.js';
import type { MetricName } from '../metrics/metric-catalogue.js';
import type { Reconciliation } from './reconciliation.js';

/** A service that reports usage. */
export interface UsageSource {
  /** Begins the names of its metrics: `dtplatform.filesvc.`. */
  prefix: string;
  /** @throws a 503 AppError when the service is unavailable */
  recount(query: UsageRecountQuery, signal: AbortSignal): Promise<UsageRecount>;
}

/** Some series of a namespace: those without dimensions or, with owners, those of owners in a range of ids. */
export interface Part {
  namespace: string;
  metrics: MetricName[];
  owners?: { after: string; until: string };
}

/** A series at one time: what it has added up, and how often it was written. */
export interface Counted {
  value: number;
  writes: number;
}

/** Changes that make series what was recounted. */
interface Correction {
  changes: SeriesChange[];
  aliases: Alias[];
}

/** A transaction on counters and on the reconciliation of them. */
export interface CounterView {
  /** The series of a part, by key: those that are not 0, and those among the given keys. Undefined if there are too many. */
  read(part: Part, alsoKeys: Iterable<string>): Promise<Map<string, Counted> | undefined>;
  /** Those of the messages that were added. */
  added(messageIds: string[]): Promise<Set<string>>;
  isClosed(namespace: string): Promise<boolean>;
  /** The value of a metric in a namespace, and the sum of its values for each owner. */
  sums(namespace: string, metric: MetricName): Promise<{ whole: number; ofOwners: number }>;
  correct(correction: Correction): Promise<void>;
  updateReconciliation(id: string, change: (one: Reconciliation) => Reconciliation): Promise<void>;
}

/** The counters that metrics are read from. */
export interface CounterStore {
  transaction<T>(work: (view: CounterView) => Promise<T>): Promise<T>;
  /** The first namespace after another one that has series; `''` is before all. */
  nextNamespace(after: string): Promise<string | undefined>;
}

export interface ReconciliationStore {
  insert(reconciliation: Reconciliation): Promise<void>;
  find(id: string): Promise<Reconciliation | undefined>;
  /** The first that is due and not finished. */
  findDue(now: Date): Promise<Reconciliation | undefined>;
  /** Sees to it that one is due before a time, at the latest. */
  ensurePeriodic(dueAt: Date): Promise<void>;
  /** The periodic one that is planned or has begun. */
  findPeriodic(): Promise<Reconciliation | undefined>;
  /** Removes the periodic one, unless it has begun. */
  cancelPeriodic(): Promise<void>;
  save(reconciliation: Reconciliation): Promise<void>;
  /** The latest of all namespaces that is finished. */
  findLatest(): Promise<Reconciliation | undefined>;
}
