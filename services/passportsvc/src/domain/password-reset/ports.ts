import type { NewMail } from '../mail/mail.js';
import type { PasswordReset } from './password-reset.js';

export interface PasswordResetStore {
  /** Keeps a link and queues its mail: both or neither. */
  insert(reset: PasswordReset, mail: NewMail): Promise<void>;
  find(id: string): Promise<PasswordReset | undefined>;
  /**
   * Sets the password and uses up the link and all others of the user: all or nothing. @returns false when it was used
   * meanwhile
   */
  complete(reset: PasswordReset, passwordHash: string): Promise<boolean>;
}
