import { createPrivateKey, randomUUID, sign } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import { promisify } from 'node:util';
import type { JWK } from 'jose';
import type { App } from '../../directory/apps/app.js';
import type { PermissionProfile } from '../../directory/permissionprofiles/permission-profiles.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import type { KnownUser } from './known.js';

/** Scopes that a client may request. None limits what its token can do (docs/contract.md, "Authentication"). */
export const ACCEPTED_SCOPES = ['read', 'write', 'scim'];

/** The scope of every token, regardless of the requested one. */
export const GRANTED_SCOPE = 'read write';

export const isAcceptedScope = (requested: string | undefined): boolean =>
  requested?.split(' ').every((scope) => scope === '' || ACCEPTED_SCOPES.includes(scope)) ?? true;

/** The subject of a token: a user who signed in to an app, the app itself, or a permission profile. */
export interface TokenSubject {
  app: App;
  user?: KnownUser;
  profile?: KnownProfile;
  /** Ending this authorization invalidates the token. */
  authorizationId?: string;
  /** The trusted app that acts for the subject (RFC 8693). */
  actor?: App;
}

/** Only trusted apps act for a permission profile. */
export type KnownProfile = Pick<PermissionProfile, '_id' | '_name'>;

export interface IssuedToken {
  token: string;
  jti: string;
  expiresInSec: number;
}

export type AccessTokens = ReturnType<typeof createAccessTokens>;

interface Deps {
  issuer: string;
  audience: string;
  signingKeys: SigningKeys;
  /** Default lifetime; an app may have a shorter one. Signing keys stay published for this long. */
  ttlSec: number;
}

/** Lifetime of a token with an actor, whose client can always request another one. */
const ACTING_TTL_SEC = 5 * 60;

/** Issues access tokens: JWTs as in RFC 9068 with claims of the platform. They are not stored. */
export function createAccessTokens({ issuer, audience, signingKeys, ttlSec }: Deps) {
  const signers = new WeakMap<JWK, Signer>();

  async function currentSigner(): Promise<Signer> {
    const [jwk] = await signingKeys();
    const signer = signers.get(jwk!) ?? createSigner(jwk!);
    signers.set(jwk!, signer);
    return signer;
  }

  return {
    async issue({ app, user, profile, authorizationId, actor }: TokenSubject): Promise<IssuedToken> {
      const { header, signed } = await currentSigner();
      const jti = randomUUID();
      const issuedAtSec = Math.floor(Date.now() / 1000);
      const expiresInSec = actor
        ? Math.min(ACTING_TTL_SEC, ttlSec)
        : Math.min(app._accessTokenTtlSec ?? ttlSec, ttlSec);
      // An actor has none of the subject's administrator or trusted-client powers.
      const rights = actor ? { ...app, _trusted: false } : app;
      const payload = encoded({
        iss: issuer,
        aud: audience,
        iat: issuedAtSec,
        exp: issuedAtSec + expiresInSec,
        jti,
        client_id: (actor ?? app)._id,
        app_id: appIdOf({ app, profile }),
        scope: GRANTED_SCOPE.split(' '),
        ...claimsOf({ app: rights, user, profile }),
        grant_id: authorizationId,
        act: actor && { sub: actor._id },
      });
      const text = `${header}.${payload}`;
      const signature = await signed(Buffer.from(text));
      return { token: `${text}.${signature.toString('base64url')}`, jti, expiresInSec };
    },
  };
}

/** A profile is its own app, so its tokens do not reach what belongs to the acting app. */
export const appIdOf = ({ app, profile }: Pick<TokenSubject, 'app' | 'profile'>): string => profile?._id ?? app._id;

function claimsOf({ app, user, profile }: Pick<TokenSubject, 'app' | 'user' | 'profile'>) {
  if (user) return userClaims(user, app);
  return profile ? profileClaims(profile) : appClaims(app);
}

const profileClaims = ({ _id, _name }: KnownProfile) => ({
  sub: _id,
  user_name: _id,
  name: _name,
  authorities: ['ROLE_PERMPROFILE'],
});

/** Administrators administer through trusted apps only: any other app would gain their powers by their sign-in. */
const userClaims = ({ id, name, isAdmin }: KnownUser, { _trusted }: App) => ({
  sub: id,
  user_name: id,
  name,
  authorities: ['ROLE_USER', ...(isAdmin && _trusted ? ['ROLE_ADMIN'] : [])],
});

const appClaims = ({ _id, _name, _trusted }: App) => ({
  sub: _id,
  user_name: _id,
  name: _name,
  authorities: ['ROLE_APP', ...(_trusted ? ['ROLE_TRUSTED_CLIENT'] : [])],
});

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

interface Signer {
  header: string;
  signed: (data: Buffer) => Promise<Buffer>;
}

/** @param jwk private, with `kid` and `alg` */
const createSigner = (jwk: JWK): Signer => ({
  header: encoded({ alg: jwk.alg, typ: 'at+jwt', kid: jwk.kid }),
  signed: signFunction(jwk),
});

/**
 * Signs in libuv's thread pool. An ES256 signature takes longer there, but meanwhile this thread reads other requests
 * and then writes their responses together, which increases the token endpoint's throughput by half (bench row token).
 */
function signFunction(jwk: JWK): (data: Buffer) => Promise<Buffer> {
  const key = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
  const signInPool = promisify(sign);
  if (jwk.alg === 'RS256') return (data) => signInPool('sha256', data, key);
  // The signature format of JWS (RFC 7518, section 3.4).
  return (data) => signInPool('sha256', data, { key, dsaEncoding: 'ieee-p1363' });
}
