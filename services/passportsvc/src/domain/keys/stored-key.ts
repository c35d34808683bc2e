import { z } from 'zod';
import { Sealed } from './sealed.js';

/** A signing key as it is stored. */
export const StoredKey = z.object({
  /** `<algorithm>-<number>`: processes that create a key concurrently use the same id, so only one succeeds. */
  _id: z.string(),
  kid: z.string(),
  sealed: Sealed,
  createdAt: z.number(),
  /** When it begins to sign, in milliseconds. */
  activeFrom: z.number(),
});
export type StoredKey = z.infer<typeof StoredKey>;

/** The random secret from which keys for hashes, tokens, cookies and forms are derived. There is one. */
export const DerivationSecret = z.object({
  _id: z.literal('derivation'),
  sealed: Sealed,
  createdAt: z.number(),
});
export type DerivationSecret = z.infer<typeof DerivationSecret>;
