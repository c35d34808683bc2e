import { isIP } from 'node:net';
import { z } from 'zod';
import { commaSeparated, httpUrl, wholeNumber } from '@dtplatform/config';
import { egressSettings } from '@dtplatform/egress';
import { serviceSettings } from '@dtplatform/runtime';

const isHost = (entry: string) => isIP(entry) !== 0 || URL.parse(`https://${entry}`)?.hostname === entry.toLowerCase();

export const Config = z.object({
  ...serviceSettings,
  ...egressSettings,
  GRAPHICSSVC_URL: httpUrl,
  FILESVC_URL: httpUrl,
  ITEMSVC_URL: httpUrl,
  /**
   * Host names and IP addresses that steps of the component `call_url` may call; none by default. Private addresses and
   * plain HTTP also need `EGRESS_ALLOW`.
   */
  CALL_URL_HOSTS: commaSeparated
    .refine((hosts) => hosts.every(isHost), 'must contain host names or IP addresses, without ports')
    .default([]),
  /** Concurrent runs per worker process. */
  RUNS_AT_ONCE: wholeNumber(1).default(16),
  /** Days until the worker removes ended runs. */
  RUNS_KEPT_DAYS: wholeNumber(1, 36_500).default(90),
  /** Time limit of runs of class INSTANT, in milliseconds; below the idle timeout of connections. */
  INSTANT_RUN_LIMIT_MS: wholeNumber(1, 110_000).default(100_000),
});
export type Config = z.infer<typeof Config>;
