import { MailAddress } from '../mail/mail.js';
import type { NewMail } from '../mail/mail.js';
import type { User } from '../scim/user.js';
import { emailOf } from '../users/account.js';
import { LINK_TTL_MS } from './password-reset.js';

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
