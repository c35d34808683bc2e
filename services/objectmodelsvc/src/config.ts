import { z } from 'zod';
import { httpUrl } from '@dtplatform/config';
import { serviceSettings } from '@dtplatform/service';

/** Settings of objectmodelsvc, from the environment. */
export const Config = z.object({ ...serviceSettings, PASSPORTSVC_URL: httpUrl });
export type Config = z.infer<typeof Config>;
