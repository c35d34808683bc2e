import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import type { User } from '../scim/user.js';

/** A user as other users see it (docs/contract.md, "Users"). */
export const Account = z.object({
  _id: ResourceId,
  _firstname: z.string(),
  _lastname: z.string(),
  _email: z.string(),
});
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
