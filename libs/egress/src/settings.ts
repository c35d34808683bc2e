import { commaSeparated } from '@dtplatform/config';
import { isAllowEntry } from './allow-list.js';

/** Settings of processes that call addresses which callers of the platform choose. */
export const egressSettings = {
  /** Addresses, networks (`10.1.0.0/16`) and host names that may be called although they are private, or with plain HTTP. */
  EGRESS_ALLOW: commaSeparated
    .refine(
      (entries) => entries.every(isAllowEntry),
      'must hold IP addresses, networks such as 10.1.0.0/16 or host names',
    )
    .default([]),
};
