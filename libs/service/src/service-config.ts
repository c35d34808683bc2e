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

/** The `aud` of the platform's access tokens. */
export const audienceOf = ({ OAUTH_AUDIENCE, BASE_URL }: Pick<ServiceConfig, 'OAUTH_AUDIENCE' | 'BASE_URL'>): string =>
  OAUTH_AUDIENCE ?? BASE_URL;
