import type { Lifecycle } from '@dtplatform/lifecycle';
import type { Logger } from '@dtplatform/logging';

/** What `runProcess` passes to the start of a process. */
export interface ProcessContext {
  log: Logger;
  lifecycle: Lifecycle;
}
