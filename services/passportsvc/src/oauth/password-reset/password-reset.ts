import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { MailAddress } from '../../groups/mail/mail.js';
import type { NewMail } from '../../groups/mail/mail.js';
import { emailOf } from '../../scim/users/accounts.js';
import type { User } from '../../scim/users/user.js';

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

/** Where a user gets mail: the user's address, else a user name that is one. */
export const addressOf = (user: User): string | undefined =>
  [emailOf(user), user.userName].find((address) => MailAddress.safeParse(address).success);

/** The mail with the link. Nothing in it was written by somebody else, so nobody can use it to send words of their own. */
export const resetMail = (to: string, link: string): NewMail => ({
  to,
  subject: 'Choose a new password',
  text: [
    'Somebody, probably you, has asked for a new password for your account.',
    `To choose one, open this link within ${LINK_TTL_MS / 60_000} minutes. It works once.`,
    link,
    'If you have not asked for it, you need not do anything: your password stays as it is.',
    '',
  ].join('\n\n'),
});
