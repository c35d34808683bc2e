import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import type { User } from '../scim/user.js';

/** A user as other users see it (docs/contract.md, "Users"). */
export const Account = z
  .object({
    _id: ResourceId.describe('The id of the user: 24 hexadecimal digits.'),
    _firstname: z.string().describe('The given name of the user; empty without one.'),
    _lastname: z.string().describe('The family name of the user; empty without one.'),
    _email: z.string().describe('The primary e-mail address of the user, else the first one, else the user name.'),
  })
  .meta({ id: 'Account', description: 'A user as other users see it.' });
export type Account = z.infer<typeof Account>;

export const showAccount = (user: User): Account => ({
  _id: user._id,
  _firstname: user.name?.givenName ?? '',
  _lastname: user.name?.familyName ?? '',
  _email: emailOf(user),
});

/** The primary address, or the first one; without any, the user name, which has the form of an address. */
export function emailOf({ emails = [], userName }: User): string {
  return (emails.find(({ primary }) => primary) ?? emails[0])?.value ?? userName;
}
