import { z } from 'zod';
import { Sealed } from './sealed.js';

/** A signing key as it is stored. */
export const StoredKey = z.object({
  /** `<algorithm>-<number>`: processes that create the first key concurrently use the same id, so only one succeeds. */
  _id: z.string(),
  kid: z.string(),
  sealed: Sealed,
  createdAt: z.number(),
});
export type StoredKey = z.infer<typeof StoredKey>;
