import { createPrivateKey, randomUUID, sign } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { JWK } from 'jose';
import type { App } from '../../domain/app.js';
import type { KnownUser } from '../known-users.js';

/** For whom a token is: a user who signed in to an app, or the app itself. */
export interface TokenSubject {
  app: App;
  user?: KnownUser;
  /** The authorization that the token comes of; ending that ends the token. */
  authorizationId?: string;
}

export interface IssuedToken {
  token: string;
  jti: string;
  expiresInSec: number;
}

export interface AccessTokens {
  issue(subject: TokenSubject): Promise<IssuedToken>;
}

interface Settings {
  issuer: string;
  audience: string;
  /** Private, with `kid` and `alg`. */
  key: JWK;
  /** For apps that have no lifetime of their own. */
  ttlSec: number;
}

/** Issues access tokens: JWTs after RFC 9068 with the platform's own claims. They are not stored. */
export function createAccessTokens({ issuer, audience, key, ttlSec }: Settings): AccessTokens {
  const header = encoded({ alg: key.alg, typ: 'at+jwt', kid: key.kid });
  const signed = signer(key);

  return {
    async issue(subject) {
      const jti = randomUUID();
      const issuedAtSec = Math.floor(Date.now() / 1000);
      const expiresInSec = subject.app._accessTokenTtlSec ?? ttlSec;
      const payload = encoded({
        iss: issuer,
        aud: audience,
        iat: issuedAtSec,
        exp: issuedAtSec + expiresInSec,
        jti,
        client_id: subject.app._id,
        app_id: subject.app._id,
        scope: ['read', 'write'],
        ...(subject.user ? userClaims(subject.user) : appClaims(subject.app)),
        grant_id: subject.authorizationId,
      });
      const text = `${header}.${payload}`;
      const signature = await signed(Buffer.from(text));
      return { token: `${text}.${signature.toString('base64url')}`, jti, expiresInSec };
    },
  };
}

const userClaims = ({ id, name, isAdmin }: KnownUser) => ({
  sub: id,
  user_name: id,
  name,
  authorities: ['ROLE_USER', ...(isAdmin ? ['ROLE_ADMIN'] : [])],
});

const appClaims = ({ _id, _name, _trusted }: App) => ({
  sub: _id,
  user_name: _id,
  name: _name,
  authorities: ['ROLE_APP', ...(_trusted ? ['ROLE_TRUSTED_CLIENT'] : [])],
});

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/**
 * An ES256 signature takes less time than the way to the thread pool and back, and must not wait there behind passwords;
 * one of RS256 takes twenty times as long.
 */
function signer(jwk: JWK): (data: Buffer) => Buffer | Promise<Buffer> {
  const key: KeyObject = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
  const signInPool = promisify(sign);
  if (jwk.alg === 'RS256') return (data) => signInPool('sha256', data, key);
  // The form that JWS wants (RFC 7518, section 3.4).
  return (data) => sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' });
}
