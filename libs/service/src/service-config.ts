import type { z } from 'zod';
import { authSettings, httpSettings, mongoSettings, processSettings, redisSettings } from '@dtplatform/config';

/** Settings of every service, to which each adds its own: `z.object({ ...serviceSettings, MORE: … })`. */
export const serviceSettings = {
  ...processSettings,
  ...httpSettings,
  ...authSettings,
  ...mongoSettings,
  ...redisSettings,
};

export type ServiceConfig = z.infer<z.ZodObject<typeof serviceSettings>>;
