import type { Principal } from '@dtplatform/jwt';
import type { App } from '../apps/app.js';
import type { Consents } from '../consents/consents.js';
import type { AccessTokens, KnownProfile } from './access-tokens.js';
import type { FindApp } from './known-apps.js';
import type { FindUser } from './known-users.js';
import type { AuthorizationStore } from './ports.js';
import type { TokenReply } from './token-reply.js';

/** A token request, read from HTTP. */
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
  /** The principal of an access token. @throws a refusal when the token is not valid or was revoked */
  openToken: (token: string) => Promise<Principal>;
  authorizationStore: AuthorizationStore;
  /** Ends an authorization and refuses all its tokens. */
  revoke(authorizationId: string): Promise<void>;
  refreshTokenKey: () => Buffer;
  refreshTokenTtlSec: number;
}

/** A request of an app that may use the grant. */
export interface GrantRequest extends TokenRequest {
  app: App;
  /** The app presented its secret. Otherwise it is a public client and the grant needs other proof. */
  isAuthenticated: boolean;
}

/** One way to obtain tokens. @throws the errors of RFC 6749, section 5.2 */
export type Grant = (request: GrantRequest) => Promise<TokenReply>;
