import type { UsageRecorded } from '@dtplatform/contracts';
import type { Month } from './hours.js';
import type { SeriesName } from './series-name.js';
import type { StoredSeries } from './series.js';

/** A usage message with the id under which it counts once. */
export interface UsageMessage {
  id: string;
  usage: UsageRecorded;
}

/** Where usage is added up. */
export interface UsageLedger {
  /** Adds messages to every series that they change. All of them or none; those that were added before are left out. */
  add(messages: UsageMessage[]): Promise<void>;
}

/** Reads few documents for each series, however many events made it. */
export interface SeriesStore {
  /** The value now; undefined when nothing was ever recorded. */
  value(name: SeriesName): Promise<number | undefined>;
  /** The changes, by hour for the given months; undefined when nothing was ever recorded. */
  changes(name: SeriesName, months: Month[]): Promise<StoredSeries | undefined>;
}
