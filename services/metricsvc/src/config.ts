import { z } from 'zod';
import { httpUrl, wholeNumber } from '@dtplatform/config';
import { serviceSettings } from '@dtplatform/runtime';

export const Config = z.object(serviceSettings);
export type Config = z.infer<typeof Config>;

export const WorkerConfig = Config.extend({
  FILESVC_URL: httpUrl,
  ITEMSVC_URL: httpUrl,
  PASSPORTSVC_URL: httpUrl,
  /** Whether metrics that differ from what the services store are only reported, or also corrected. */
  USAGE_RECONCILE: z.enum(['report', 'correct']).default('report'),
  /** How often to reconcile all namespaces; 0: only on request. */
  USAGE_RECONCILE_HOURS: wholeNumber(0).default(24),
});
export type WorkerConfig = z.infer<typeof WorkerConfig>;
