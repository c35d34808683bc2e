import { createHash } from 'node:crypto';
import { z } from 'zod';

/** What a user granted an app by signing in: a code and the sequence of refresh tokens that replaces it. */
export const Authorization = z.object({
  /** The `grant_id` of the access tokens. */
  _id: z.string(),
  clientId: z.string(),
  accountId: z.string(),
  code: z.object({
    hash: z.string(),
    /** S256 challenge (RFC 7636), or null. */
    challenge: z.string().nullable(),
    redirectUri: z.string(),
    expiresAt: z.date(),
  }),
  /** 0 until the code is redeemed; afterwards the number of the only valid refresh token. */
  generation: z.number(),
  /** The code was redeemed with the app's secret, so refreshing needs it too. */
  needsSecret: z.boolean(),
  expiresAt: z.date(),
  /** A unique value of the latest change that shared a write with others. Its request knows by it that the change was made. */
  changeId: z.string().optional(),
});
export type Authorization = z.infer<typeof Authorization>;

/** Codes are random, so a plain hash is enough. */
export const hashCode = (code: string): string => createHash('sha256').update(code).digest('base64url');
