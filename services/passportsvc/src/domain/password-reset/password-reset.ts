import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { User } from '../scim/user.js';
import { emailOf } from '../users/account.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long a link works. */
export const LINK_TTL_MS = 30 * MINUTE_MS;
/** How long a link is kept, so that its page can say why it no longer works. */
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
  /** The user's `linkState` when the link was made. */
  userState: z.string(),
});
export type PasswordReset = z.infer<typeof PasswordReset>;

export const newResetToken = (): string => randomBytes(32).toString('base64url');

/** Tokens are random, so a plain hash is enough. What names a counter is hashed to be short. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Changes with the password and the addresses of a user: a link that was made for another state does not work any more. */
export const linkState = (user: User): string =>
  hashOf(JSON.stringify([user._passwordHash ?? null, emailOf(user), user._emailKeys.toSorted()]));

/** Whether a link may set the password of this user as it is now. */
export const isFor = ({ userState }: PasswordReset, user: User | undefined): user is User =>
  user?.active === true && userState === linkState(user);
