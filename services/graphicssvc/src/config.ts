import { z } from 'zod';
import { httpUrl, s3Settings, wholeNumber } from '@dtplatform/config';
import { serviceSettings } from '@dtplatform/service';

/** Settings of graphicssvc, from the environment. */
export const Config = z.object({
  ...serviceSettings,
  ...s3Settings,
  FILESVC_URL: httpUrl,
  /** Files that one worker process loads at the same time; each needs memory for up to two parts. */
  LOADS_AT_ONCE: wholeNumber(1).default(4),
});
export type Config = z.infer<typeof Config>;
