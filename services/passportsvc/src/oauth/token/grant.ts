import { z } from 'zod';
import type { Principal } from '@dtplatform/jwt';
import { entriesOf } from '../../directory/apps/app.js';
import type { App } from '../../directory/apps/app.js';
import { errors } from '../../errors.js';
import type { ConsentRequest, Consents } from '../consents/consents.js';
import { appIdOf, GRANTED_SCOPE } from './access-tokens.js';
import type { AccessTokens, IssuedToken, KnownProfile, TokenSubject } from './access-tokens.js';
import { writeRefreshToken } from './authorization.js';
import type { Authorization } from './authorization.js';
import type { AuthorizationStore } from './authorizations.store.js';
import type { FindApp, FindUser } from './known.js';

export interface TokenRequest {
  grantType: string;
  appId: string;
  /** Undefined for a public client. */
  secret: string | undefined;
  code: string | undefined;
  redirectUri: string | undefined;
  codeVerifier: string | undefined;
  refreshToken: string | undefined;
  scope: string | undefined;
  exchange: ExchangeParameters;
}

/** Parameters of a token exchange (RFC 8693, section 2.1). `subject` and `subjectType` are the platform's own. */
export interface ExchangeParameters {
  subject: string | undefined;
  subjectType: string | undefined;
  subjectToken: string | undefined;
  subjectTokenType: string | undefined;
  requestedTokenType: string | undefined;
  actorToken: string | undefined;
}

export interface GrantDeps {
  accessTokens: AccessTokens;
  consents: Consents;
  findApp: FindApp;
  findUser: FindUser;
  findProfile: (id: string) => Promise<KnownProfile | undefined>;
  /** @throws a rejection when the token is invalid or was revoked */
  openToken: (token: string) => Promise<Principal>;
  authorizationStore: AuthorizationStore;
  /** Ends an authorization and rejects all its tokens. */
  revoke(authorizationId: string): Promise<void>;
  refreshTokenKey: () => Buffer;
  refreshTokenTtlSec: number;
}

export interface GrantRequest extends TokenRequest {
  app: App;
  /** Whether the app presented its secret. Public clients need other proof. */
  isAuthenticated: boolean;
}

/** @throws the errors of RFC 6749, section 5.2 */
export type Grant = (request: GrantRequest) => Promise<TokenResponse>;

/** The type of the platform's access tokens (RFC 8693, section 3). */
export const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token';

export const TokenResponse = z
  .object({
    access_token: z.string().describe('The access token, a JWT (RFC 9068).'),
    issued_token_type: z
      .literal(ACCESS_TOKEN_TYPE)
      .optional()
      .describe('The type of the token; only for a token exchange.'),
    token_type: z.literal('bearer').describe('How to send the token: `Authorization: Bearer`.'),
    refresh_token: z
      .string()
      .optional()
      .describe(
        'A token to request the next tokens with; it works once. Only for users, if the app may use the grant.',
      ),
    expires_in: z.number().describe('The lifetime of the access token in seconds.'),
    scope: z.literal(GRANTED_SCOPE).describe('The scope of every token, regardless of the request.'),
    user_name: z.string().describe('The id of the subject of the token: a user, an app or a permission profile.'),
    app_id: z.string().describe('The id of the app that the subject uses; a permission profile has its own id here.'),
    jti: z.string().describe('The id of the access token.'),
  })
  .meta({ id: 'TokenReply', description: 'An access token (RFC 6749, section 5.1).' });
export type TokenResponse = z.infer<typeof TokenResponse>;

export const tokenResponse = (
  { token, jti, expiresInSec }: IssuedToken,
  subject: TokenSubject,
  refreshToken?: string,
): TokenResponse => ({
  access_token: token,
  token_type: 'bearer',
  ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  expires_in: expiresInSec,
  scope: GRANTED_SCOPE,
  user_name: subject.user?.id ?? appIdOf(subject),
  app_id: appIdOf(subject),
  jti,
});

interface Deps {
  accessTokens: AccessTokens;
  consents: Consents;
}

/**
 * Issues a user's access token to an app, under an authorization. Checks the consent after the issue time is set: a
 * later revocation is then newer than the token and rejects it.
 * @throws invalidGrant without the user's consent
 */
export async function issueForUser(
  { authorizationId, ...request }: ConsentRequest & { authorizationId: string },
  { accessTokens, consents }: Deps,
): Promise<IssuedToken> {
  const { app, user } = request;
  const issued = await accessTokens.issue({ app, user, authorizationId });
  if (await consents.isMissing(request)) throw errors.invalidGrant({ message: 'The user does not consent.' });
  return issued;
}

/**
 * Issues an access token and the refresh token of the authorization's current generation.
 * @throws invalidGrant when the user no longer exists, is deactivated or does not consent
 */
export async function userTokens(
  { _id: id, accountId, generation, code }: Authorization,
  app: App,
  deps: GrantDeps,
): Promise<TokenResponse> {
  const user = await deps.findUser(accountId);
  if (!user) throw errors.invalidGrant({ message: 'The user can no longer sign in.' });
  const subject = { app, user, authorizationId: id, redirectUri: code.redirectUri };
  const mayRefresh = entriesOf(app._authorizedGrantTypes).includes('refresh_token');
  const refreshToken = mayRefresh ? writeRefreshToken({ id, generation }, deps.refreshTokenKey()) : undefined;
  return tokenResponse(await issueForUser(subject, deps), subject, refreshToken);
}
