import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long a link works. */
export const LINK_TTL_MS = 30 * MINUTE_MS;
/** How long it is known that a link has been there, to say why it no longer works. */
export const KEEP_MS = 24 * HOUR_MS;

/** Mails for one account and requests from one address, per hour. */
export const RESET_LIMITS = { account: 3, address: 20, windowMs: HOUR_MS };

/** A link with which a user can choose a new password. */
export const PasswordReset = z.object({
  /** Hash of the token in the link. */
  _id: z.string(),
  userId: z.string(),
  validUntil: z.date(),
  /** It has been used, or another one of the user. */
  isUsed: z.boolean(),
  expiresAt: z.date(),
});
export type PasswordReset = z.infer<typeof PasswordReset>;

export const newResetToken = (): string => randomBytes(32).toString('base64url');

/** Tokens are random, so a plain hash is enough. */
export const hashResetToken = (token: string): string => createHash('sha256').update(token).digest('base64url');
