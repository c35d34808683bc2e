import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { BrowserState } from '../authorize/browser-states.store.js';

/** What a user granted an app by signing in: a code and the sequence of refresh tokens that replaces it. */
export const Authorization = z.object({
  /** The `grant_id` of the access tokens. */
  _id: z.string(),
  clientId: z.string(),
  accountId: z.string(),
  code: z.object({
    hash: z.string(),
    /** S256 challenge (RFC 7636), or null. */
    challenge: z.string().nullable(),
    redirectUri: z.string(),
    expiresAt: z.date(),
  }),
  /** 0 until the code is redeemed; afterwards the number of the only valid refresh token. */
  generation: z.number(),
  /** The code was redeemed with the app's secret, so refreshing needs it too. */
  needsSecret: z.boolean(),
  expiresAt: z.date(),
  /** A unique value of the latest change that shared a write with others. Its request knows by it that the change was made. */
  changeId: z.string().optional(),
});
export type Authorization = z.infer<typeof Authorization>;

/** Codes are random, so a plain hash is enough. */
export const hashCode = (code: string): string => createHash('sha256').update(code).digest('base64url');

/** The contract allows 16 to 64 characters, RFC 7636 allows 43 to 128: both are accepted. */
const VERIFIER = /^[\x21-\x7e]{16,128}$/;

export const isVerifier = (verifier: string): boolean => VERIFIER.test(verifier);

/** The S256 challenge of a verifier (RFC 7636, section 4.2). */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/**
 * A challenge in base64url without padding. Some clients send plain base64, padded or not; a `+` that was not escaped in
 * the query arrives as a space.
 */
export const normalChallenge = (challenge: string): string =>
  challenge.replace(/[+ ]/g, '-').replace(/\//g, '_').replace(/=+$/, '');

/** The content of a refresh token. */
export interface RefreshToken {
  /** Id of the authorization that the token belongs to. */
  id: string;
  /** Position of the token among those of its authorization, from 1. */
  generation: number;
}

const FORM = /^([A-Za-z0-9]{1,64})\.([1-9][0-9]{0,9})\.([A-Za-z0-9_-]{43})$/;

/**
 * A refresh token: id and generation, authenticated with an HMAC. Tokens are not stored; a replaced token is recognized
 * by its old generation.
 */
export function writeRefreshToken({ id, generation }: RefreshToken, key: Buffer): string {
  const text = `${id}.${generation}`;
  return `${text}.${hmacOf(text, key)}`;
}

/** The content of a token; undefined when this platform did not issue it. */
export function readRefreshToken(token: string, key: Buffer): RefreshToken | undefined {
  const [, id, generation, hmac] = FORM.exec(token) ?? [];
  if (id === undefined) return undefined;
  const expected = hmacOf(`${id}.${generation}`, key);
  if (!timingSafeEqual(Buffer.from(hmac!), Buffer.from(expected))) return undefined;
  return { id, generation: Number(generation) };
}

const hmacOf = (text: string, key: Buffer) => createHmac('sha256', key).update(text).digest('base64url');

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

interface Deps {
  authorizationStore: AuthorizationStore;
  /** Refuses all access tokens of these authorizations that were issued until now. */
  refuseTokens: (authorizationIds: string[]) => Promise<void>;
}

/** Ends all authorizations of a user, or those of one app by the user, and refuses their tokens. */
export type EndAuthorizations = (of: { accountId: string; clientId?: string }) => Promise<void>;

const BATCH = 500;

/**
 * The tokens are refused first: if Redis is unavailable, the authorizations remain and can be ended again. The caller makes
 * sure that no token is issued meanwhile.
 */
export const createEndAuthorizations =
  ({ authorizationStore, refuseTokens }: Deps): EndAuthorizations =>
  async (of) => {
    for (;;) {
      const ids = await authorizationStore.listIds(of, BATCH);
      await refuseTokens(ids);
      await authorizationStore.removeAll(ids);
      if (ids.length < BATCH) return;
    }
  };
