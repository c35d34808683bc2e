import type { Authorization } from './authorization.js';
import type { BrowserState } from './browser-state.js';

/** What a request must present to redeem a code. */
export interface CodeProof {
  codeHash: string;
  clientId: string;
  redirectUri: string;
  /** Challenge of the verifier, if one was sent. */
  challenge: string | undefined;
}

export interface AuthorizationStore {
  insert(authorization: Authorization): Promise<void>;
  /** Redeems a code that has not been redeemed. Of concurrent calls only one succeeds. */
  redeem(proof: CodeProof, needsSecret: boolean, expiresAt: Date): Promise<Authorization | undefined>;
  /** The authorization whose code was redeemed before with the same proof. */
  findRedeemed(proof: CodeProof): Promise<Authorization | undefined>;
  /** Whether a code was issued for a challenge, so that redeeming it needs the verifier. */
  hasChallenge(codeHash: string): Promise<boolean>;
  /** Replaces the refresh token of this generation with the next, if it is the current one and the caller may refresh. */
  rotate(
    token: { id: string; generation: number; clientId: string },
    isAuthenticated: boolean,
    expiresAt: Date,
  ): Promise<Authorization | undefined>;
  find(id: string): Promise<Authorization | undefined>;
  remove(id: string): Promise<void>;
  /** Uses up the code of an authorization whose token was issued without redeeming it, and keeps the authorization. */
  useUp(id: string, expiresAt: Date): Promise<void>;
  /** The ids of authorizations of a user, or of those of one app by the user. */
  listIds(of: { accountId: string; clientId?: string }, limit: number): Promise<string[]>;
  removeAll(ids: string[]): Promise<void>;
}

export interface BrowserStateStore {
  put(id: string, state: BrowserState['state'], expiresInSec: number): Promise<void>;
  find(id: string): Promise<BrowserState['state'] | undefined>;
  /** @param uid the state's own field of this name */
  findByUid(uid: string): Promise<BrowserState['state'] | undefined>;
  remove(id: string): Promise<void>;
}

/** A counter that expires. */
interface AttemptCounter {
  /** 0 when it has expired. */
  count: number;
  leftMs: number;
}

/** Counters that all processes share. */
export interface AttemptCounters {
  read(keys: string[]): Promise<AttemptCounter[]>;
  /** Adds one. The counter expires this long after the first one. @returns the count */
  add(key: string, ttlMs: number): Promise<number>;
  /** Sets the counter to one, for this long. */
  start(key: string, ttlMs: number): Promise<void>;
  remove(key: string): Promise<void>;
}

export type Versioned = 'app' | 'user';

/** What changes with every write to an app or a user, for all processes. */
export interface Versions {
  /** Undefined when there is none, or when it cannot be read. */
  current(kind: Versioned, id: string): Promise<string | undefined>;
  /** Makes one, if there is none, of something that exists. */
  begin(kind: Versioned, id: string): Promise<void>;
  /** Runs a write. What was read before it counts nowhere when this resolves. @throws before the write if that is impossible */
  change<T>(kind: Versioned, id: string, write: () => Promise<T>): Promise<T>;
}
