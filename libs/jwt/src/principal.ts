import { z } from 'zod';

/**
 * Kind of caller. An administrator is a user and a trusted client is an app. Permission profiles act through a trusted
 * client.
 */
export type PrincipalKind = 'user' | 'admin' | 'app' | 'trusted' | 'profile';

export interface Principal {
  kind: PrincipalKind;
  /** SCIM id of the user, or id of the app or permission profile. */
  id: string;
  /** Display name, stored in `_createdByName` and `_updatedByName`. */
  name: string;
  /** The app that the user signed in with. For apps and permission profiles, their own id. */
  appId: string;
  /** The trusted app that acts for the subject (RFC 8693). */
  actorId?: string;
  /** The grant behind the token; revoking it revokes the token. */
  grantId: string | undefined;
  /** The token itself, for calls to other services on the caller's behalf. */
  token: string;
  /** Issue and expiry, in seconds since the epoch. */
  issuedAtSec: number;
  expiresAtSec: number;
}

/** Claims of access tokens: those of RFC 9068 and the platform's own. */
const AccessTokenClaims = z.object({
  iss: z.string(),
  sub: z.string().min(1),
  iat: z.number(),
  exp: z.number(),
  jti: z.string(),
  client_id: z.string().min(1),
  app_id: z.string().min(1).optional(),
  act: z.object({ sub: z.string().min(1) }).optional(),
  name: z.string().optional(),
  grant_id: z.string().optional(),
  authorities: z.array(z.string()),
});

const KIND_OF_AUTHORITY: [string, PrincipalKind][] = [
  ['ROLE_TRUSTED_CLIENT', 'trusted'],
  ['ROLE_APP', 'app'],
  ['ROLE_ADMIN', 'admin'],
  ['ROLE_USER', 'user'],
  ['ROLE_PERMPROFILE', 'profile'],
];

/** The principal of verified claims; undefined if claims are missing or malformed. */
export function principalOf(claims: unknown, token: string): Principal | undefined {
  const parsed = AccessTokenClaims.safeParse(claims);
  if (!parsed.success) return undefined;
  const { sub, client_id, app_id = client_id, act, grant_id, name, authorities, iat, exp } = parsed.data;
  const kind = KIND_OF_AUTHORITY.find(([authority]) => authorities.includes(authority))?.[1];
  if (!kind) return undefined;
  return {
    kind,
    id: sub,
    name: name ?? sub,
    appId: app_id,
    actorId: act?.sub,
    grantId: grant_id,
    token,
    issuedAtSec: iat,
    expiresAtSec: exp,
  };
}
