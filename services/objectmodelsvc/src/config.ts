import { z } from 'zod';
import { httpUrl, wholeNumber } from '@dtplatform/config';
import { serviceSettings } from '@dtplatform/runtime';

export const Config = z.object({
  ...serviceSettings,
  PASSPORTSVC_URL: httpUrl,
  /** How long changes of permissions stay in the audit log. */
  AUDIT_RETENTION_DAYS: wholeNumber(1, 3650).default(365),
});
export type Config = z.infer<typeof Config>;
