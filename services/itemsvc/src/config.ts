import { z } from 'zod';
import { httpUrl } from '@dtplatform/config';
import { serviceSettings } from '@dtplatform/service';

/** Settings of itemsvc, from the environment. */
export const Config = z.object({ ...serviceSettings, FILESVC_URL: httpUrl });
export type Config = z.infer<typeof Config>;
