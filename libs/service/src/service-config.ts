import { z } from 'zod';
import { authSettings, httpSettings, mongoSettings, processSettings, redisSettings } from '@dtplatform/config';

/** Settings that every service has; a service adds its own: `z.object({ ...serviceSettings, MORE: … })`. */
export const serviceSettings = {
  ...processSettings,
  ...httpSettings,
  ...authSettings,
  ...mongoSettings,
  ...redisSettings,
};

const ServiceConfig = z.object(serviceSettings);
export type ServiceConfig = z.infer<typeof ServiceConfig>;
