import type { App } from '../apps/app.js';
import type { AccessTokens } from './access-tokens.js';
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
}

export interface GrantDeps {
  accessTokens: AccessTokens;
  findUser: FindUser;
  authorizationStore: AuthorizationStore;
  /** Ends an authorization and refuses all its tokens. */
  revoke(authorizationId: string): Promise<void>;
  refreshTokenKey: Buffer;
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
