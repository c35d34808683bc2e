import { z } from 'zod';
import { httpUrl, wholeNumber } from '@dtplatform/config';
import { serviceSettings } from '@dtplatform/service';

/** Settings of datasourcesvc, from the environment. */
export const Config = z.object({
  ...serviceSettings,
  GRAPHICSSVC_URL: httpUrl,
  /** Runs that one worker process works on at the same time. */
  RUNS_AT_ONCE: wholeNumber(1).default(16),
  /** Days after which the worker removes runs that have ended. */
  RUNS_KEPT_DAYS: wholeNumber(1, 36_500).default(90),
  /** Time limit of runs of class INSTANT, in milliseconds; shorter than the idle timeout of connections. */
  INSTANT_RUN_LIMIT_MS: wholeNumber(1, 110_000).default(100_000),
});
export type Config = z.infer<typeof Config>;
