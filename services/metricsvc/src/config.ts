import { z } from 'zod';
import { mongoSettings, processSettings, redisSettings } from '@dtplatform/config';
import { serviceSettings } from '@dtplatform/service';

/** Settings of metricsvc, from the environment. */
export const Config = z.object(serviceSettings);
export type Config = z.infer<typeof Config>;

/** Settings of the worker, which has no API and calls no other service. */
export const WorkerConfig = z.object({ ...processSettings, ...mongoSettings, ...redisSettings });
export type WorkerConfig = z.infer<typeof WorkerConfig>;
