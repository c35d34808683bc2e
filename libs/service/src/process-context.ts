import type { Lifecycle } from '@dtplatform/lifecycle';
import type { Logger } from '@dtplatform/logging';

/** What a process gets from its start. */
export interface ProcessContext {
  log: Logger;
  lifecycle: Lifecycle;
}
