import { z } from 'zod';
import { User } from './user.js';

/** The access of a user must end: recorded with the write that ends it, and removed when it has ended everywhere. */
export const AccessEnding = z.object({
  _id: z.string(),
  userId: User.shape._id,
  /** The user is deleted: the consents go, too. */
  isDeleted: z.boolean(),
  /** The user has a new password and can sign in with it at once. Absent otherwise. */
  staysActive: z.boolean().optional(),
});
export type AccessEnding = z.infer<typeof AccessEnding>;
