import type { CallReport } from '@dtplatform/contracts';
import type { ComponentCall } from './component-call.js';

/** Where calls are stored. Writes of a worker that no longer holds the call have no effect. */
export interface ComponentCallStore {
  /** Stores a call and queues it, in one transaction, unless it is stored already. */
  open(call: ComponentCall): Promise<void>;
  find(id: string): Promise<ComponentCall | undefined>;
  /** For one worker at a time; undefined when it has ended, is held, or may not be repeated. */
  claim(id: string): Promise<ComponentCall | undefined>;
  /** False when the worker no longer holds the call. */
  report(id: string, report: CallReport): Promise<boolean>;
  /** Queues a call again whose job may be lost or whose worker has ended; one that may not be repeated ends as ERROR. */
  recover(call: ComponentCall): Promise<void>;
}
