import { randomUUID } from 'node:crypto';
import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { JWTVerifyGetKey } from 'jose';
import type { PrincipalKind } from '@dtplatform/jwt';

export const TEST_AUDIENCE = 'http://platform.test';
export const TEST_ISSUER = `${TEST_AUDIENCE}/passportsvc/api/v1/oauth`;

const AUTHORITIES: Record<PrincipalKind, string[]> = {
  user: ['ROLE_USER'],
  admin: ['ROLE_USER', 'ROLE_ADMIN'],
  app: ['ROLE_APP'],
  trusted: ['ROLE_APP', 'ROLE_TRUSTED_CLIENT'],
  profile: ['ROLE_PERMPROFILE'],
};

export interface TestTokens {
  /** Pass these to the service under test. */
  keys: JWTVerifyGetKey;
  issue(principal: {
    kind?: PrincipalKind;
    id: string;
    appId?: string;
    grantId?: string;
    expiresInSec?: number;
  }): Promise<string>;
}

/** Access tokens like passportsvc's, signed with keys that only this test has. */
export async function createTestTokens(issuer = TEST_ISSUER, audience = TEST_AUDIENCE): Promise<TestTokens> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'test', alg: 'ES256' };
  return {
    keys: createLocalJWKSet({ keys: [jwk] }),
    issue: ({ kind = 'user', id, appId = 'test-app', grantId, expiresInSec = 3600 }) => {
      const iat = Math.floor(Date.now() / 1000);
      const claims = {
        client_id: appId,
        app_id: appId,
        name: `Name of ${id}`,
        authorities: AUTHORITIES[kind],
        user_name: id,
      };
      return new SignJWT({ ...claims, ...(grantId ? { grant_id: grantId } : {}), scope: ['read', 'write'] })
        .setProtectedHeader({ alg: 'ES256', kid: 'test', typ: 'at+jwt' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(id)
        .setJti(randomUUID())
        .setIssuedAt(iat)
        .setExpirationTime(iat + expiresInSec)
        .sign(privateKey);
    },
  };
}
