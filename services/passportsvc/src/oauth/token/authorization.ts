import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { AuthorizationStore } from './authorizations.store.js';

/** A user's sign-in to an app: a code and the sequence of refresh tokens that replaces it. */
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
  /** Set when the code was redeemed with the app's secret: refreshing then needs it, too. */
  needsSecret: z.boolean(),
  expiresAt: z.date(),
  /** Unique per change. Shows a request whether its change in a shared write was applied. */
  changeId: z.string().optional(),
});
export type Authorization = z.infer<typeof Authorization>;

/** An unsalted hash suffices: codes are random. */
export const hashCode = (code: string): string => createHash('sha256').update(code).digest('base64url');

/** The contract allows 16 to 64 characters, RFC 7636 allows 43 to 128: both are accepted. */
const VERIFIER = /^[\x21-\x7e]{16,128}$/;

export const isVerifier = (verifier: string): boolean => VERIFIER.test(verifier);

/** The S256 challenge of a verifier (RFC 7636, section 4.2). */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/**
 * Normalizes a challenge to unpadded base64url. Some clients send plain base64; an unescaped `+` in the query arrives
 * as a space.
 */
export const normalChallenge = (challenge: string): string =>
  challenge.replace(/[+ ]/g, '-').replace(/\//g, '_').replace(/=+$/, '');

export interface RefreshToken {
  id: string;
  /** The token's position in its authorization, from 1. */
  generation: number;
}

const FORM = /^([A-Za-z0-9]{1,64})\.([1-9][0-9]{0,9})\.([A-Za-z0-9_-]{43})$/;

/**
 * Id and generation, authenticated with an HMAC. Tokens are not stored; a replaced token is recognized by its old
 * generation.
 */
export function writeRefreshToken({ id, generation }: RefreshToken, key: Buffer): string {
  const text = `${id}.${generation}`;
  return `${text}.${hmacOf(text, key)}`;
}

/** @returns the content of a token; undefined when this platform did not issue it */
export function readRefreshToken(token: string, key: Buffer): RefreshToken | undefined {
  const [, id, generation, hmac] = FORM.exec(token) ?? [];
  if (id === undefined) return undefined;
  const expected = hmacOf(`${id}.${generation}`, key);
  if (!timingSafeEqual(Buffer.from(hmac!), Buffer.from(expected))) return undefined;
  return { id, generation: Number(generation) };
}

const hmacOf = (text: string, key: Buffer) => createHmac('sha256', key).update(text).digest('base64url');

export interface CodeProof {
  codeHash: string;
  clientId: string;
  redirectUri: string;
  challenge: string | undefined;
}

interface Deps {
  authorizationStore: AuthorizationStore;
  /** Rejects all access tokens of these authorizations that were issued so far. */
  refuseTokens: (authorizationIds: string[]) => Promise<void>;
}

/** A user's authorizations: all, those of one app, or one. */
export interface AuthorizationsOf {
  accountId: string;
  clientId?: string;
  id?: string;
}

/** Ends authorizations and rejects their tokens. @returns whether there were any */
export type EndAuthorizations = (of: AuthorizationsOf) => Promise<boolean>;

const BATCH = 500;

/**
 * Rejects tokens first: if Redis is unavailable, the authorizations remain and can be ended again. The caller must
 * prevent new tokens until this resolves.
 */
export const createEndAuthorizations =
  ({ authorizationStore, refuseTokens }: Deps): EndAuthorizations =>
  async (of) => {
    for (let isFirst = true; ; isFirst = false) {
      const ids = await authorizationStore.listIds(of, BATCH);
      await refuseTokens(ids);
      await authorizationStore.removeAll(ids);
      if (ids.length < BATCH) return !isFirst || ids.length > 0;
    }
  };
