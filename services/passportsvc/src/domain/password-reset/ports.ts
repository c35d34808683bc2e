import type { NewMail } from '../mail/mail.js';
import type { User } from '../scim/user.js';
import type { PasswordReset } from './password-reset.js';

export interface PasswordResetStore {
  /** Keeps a link and queues its mail: both or neither. */
  insert(reset: PasswordReset, mail: NewMail): Promise<void>;
  find(id: string): Promise<PasswordReset | undefined>;
  /**
   * Sets the password and uses up the link and all others of the user: all or nothing.
   * @param isFor whether the link is for this user, as it is in the transaction @returns false when it is not, or was used
   */
  complete(reset: PasswordReset, passwordHash: string, isFor: (user: User) => boolean): Promise<boolean>;
  /** Uses up all links of a user. */
  endLinks(userId: string): Promise<void>;
}
