import { z } from 'zod';

/** A browser session or an unfinished sign-in, as it is stored. */
export const BrowserState = z.object({
  /** Hash of the id in the browser's cookie. */
  _id: z.string(),
  uid: z.string().optional(),
  /** What the OAuth library keeps between requests. */
  state: z.record(z.string(), z.unknown()),
  expiresAt: z.date(),
  /** It has ended: a request that read it before must not store it again. Absent otherwise. */
  isEnded: z.boolean().optional(),
});
export type BrowserState = z.infer<typeof BrowserState>;
