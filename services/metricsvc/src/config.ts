import { z } from 'zod';
import { httpUrl, wholeNumber } from '@dtplatform/config';
import { serviceSettings } from '@dtplatform/runtime';

/** Settings of metricsvc, from the environment. */
export const Config = z.object(serviceSettings);
export type Config = z.infer<typeof Config>;

/** Settings of the worker, which has no API. */
export const WorkerConfig = Config.extend({
  FILESVC_URL: httpUrl,
  ITEMSVC_URL: httpUrl,
  PASSPORTSVC_URL: httpUrl,
  /** What happens to metrics that differ from what services hold: they are reported only, or corrected as well. */
  USAGE_RECONCILE: z.enum(['report', 'correct']).default('report'),
  /** How often the metrics of all namespaces are compared with what services hold. 0: only when it is requested. */
  USAGE_RECONCILE_HOURS: wholeNumber(0).default(24),
});
export type WorkerConfig = z.infer<typeof WorkerConfig>;
