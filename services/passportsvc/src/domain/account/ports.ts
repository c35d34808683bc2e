/** A browser in which a user is signed in. */
export interface UserSession {
  uid: string;
  /** Epoch milliseconds. */
  signedInAt: number;
  expiresAt: number;
}

/** What belongs to a user's sign-in. `S` is the session of a transaction. */
export interface AccountStore<S = unknown> {
  /** The latest first, 100 at most. */
  listSessions(userId: string): Promise<UserSession[]>;
  /** @returns whether the user had this session */
  endSession(userId: string, uid: string): Promise<boolean>;
  /** Ends the user's sessions, except this one, and the sign-ins that have not reached their app. */
  endSessions(userId: string, exceptUid?: string): Promise<void>;
  /** @returns false when the user has been deleted */
  setPassword(userId: string, passwordHash: string, session?: S): Promise<boolean>;
}
