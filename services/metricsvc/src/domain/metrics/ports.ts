import type { UsageRecorded } from '@dtplatform/contracts';
import type { Month } from './hours.js';
import type { SeriesName } from './series-name.js';
import type { SeriesChanges } from './series.js';

/** A batch of usage, and the id by which it is added only once. */
export interface UsageMessage {
  id: string;
  usage: UsageRecorded[];
}

/** Adds usage to the stored series. */
export interface UsageLedger {
  /** Adds all messages to the series that they change, or none. Messages that were added before are skipped. */
  add(messages: UsageMessage[]): Promise<void>;
  /** Adds kept usage whose metric this version knows, and keeps it no longer. @returns how much there was */
  addKept(): Promise<number>;
  /** How much usage of unknown metrics is kept. */
  countKept(): Promise<number>;
}

/** Reads series. The number of documents read does not depend on the number of messages that were added. */
export interface SeriesStore {
  /** The current value; undefined if nothing was ever recorded. */
  value(name: SeriesName): Promise<number | undefined>;
  /** The changes by month, and by hour in the given months; undefined if nothing was ever recorded. */
  changes(name: SeriesName, months: Month[]): Promise<SeriesChanges | undefined>;
}
