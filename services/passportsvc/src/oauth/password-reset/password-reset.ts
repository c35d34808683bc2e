import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { MailAddress } from '../../groups/mails/mail.js';
import type { NewMail } from '../../groups/mails/mail.js';
import { emailOf } from '../../scim/users/accounts.js';
import type { User } from '../../scim/users/user.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const LINK_TTL_MS = 30 * MINUTE_MS;
/** Outlives the link, so that the page can explain why it no longer works. */
export const KEEP_MS = 24 * HOUR_MS;

/** Per hour: mails per account, requests per address. */
export const RESET_LIMITS = { account: 3, address: 20, windowMs: HOUR_MS };

export const PasswordReset = z.object({
  _id: z.string(),
  userId: z.string(),
  validUntil: z.date(),
  /** Set when this link, or another one of the user, was used. */
  isUsed: z.boolean(),
  expiresAt: z.date(),
  userState: z.string(),
});
export type PasswordReset = z.infer<typeof PasswordReset>;

export const newResetToken = (): string => randomBytes(32).toString('base64url');

/** An unsalted hash suffices: tokens are random. Also shortens the names of counters. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Changes with the password and addresses of a user, which invalidates earlier links. */
export const linkState = (user: User): string =>
  hashOf(JSON.stringify([user._passwordHash ?? null, emailOf(user), user._emailKeys.toSorted()]));

/** Whether the link is valid for the user's current state. */
export const isFor = ({ userState }: PasswordReset, user: User | undefined): user is User =>
  user?.active === true && userState === linkState(user);

/** The user's address, else a user name that is an address. */
export const addressOf = (user: User): string | undefined =>
  [emailOf(user), user.userName].find((address) => MailAddress.safeParse(address).success);

/** The mail with the link. Contains no text from other users, so nobody can abuse it to send their own. */
export const resetMail = (to: string, link: string): NewMail => ({
  to,
  subject: 'Choose a new password',
  text: [
    'Someone, probably you, requested a new password for your account.',
    `To choose one, open this link within ${LINK_TTL_MS / 60_000} minutes. It works once.`,
    link,
    'If it was not you, ignore this email: your password stays the same.',
    '',
  ].join('\n\n'),
});
