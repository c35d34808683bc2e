import { commaSeparated } from '@dtplatform/config';
import { isAllowEntry } from './allow-list.js';

/** Settings of processes that call addresses chosen by callers. */
export const egressSettings = {
  /** Addresses, networks (`10.1.0.0/16`) and host names that are allowed even if private or over plain HTTP. */
  EGRESS_ALLOW: commaSeparated
    .refine(
      (entries) => entries.every(isAllowEntry),
      'must contain IP addresses, networks such as 10.1.0.0/16 or host names',
    )
    .default([]),
};
