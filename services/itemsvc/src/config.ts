import { z } from 'zod';
import { serviceSettings } from '@dtplatform/service';

/** Settings of itemsvc, from the environment. */
export const Config = z.object({ ...serviceSettings, FILESVC_URL: z.url() });
export type Config = z.infer<typeof Config>;
