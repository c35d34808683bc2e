import { z } from 'zod';
import { serviceSettings } from '@dtplatform/service';

/** Settings of objectmodelsvc, from the environment. */
export const Config = z.object({ ...serviceSettings, PASSPORTSVC_URL: z.url() });
export type Config = z.infer<typeof Config>;
