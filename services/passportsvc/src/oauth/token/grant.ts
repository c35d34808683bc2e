import type { App } from '../../domain/app.js';
import type { AuthorizationStore } from '../authorization.js';
import type { FindUser } from '../known-users.js';
import type { AccessTokens } from './access-tokens.js';
import type { TokenReply } from './token-reply.js';
import type { TokenRequest } from './token-request.js';

/** What the grants work with. */
export interface GrantDeps {
  accessTokens: AccessTokens;
  findUser: FindUser;
  authorizations: AuthorizationStore;
  /** Ends an authorization with all its tokens, everywhere. */
  revoke(authorizationId: string): Promise<void>;
  refreshTokenKey: Buffer;
  refreshTokenTtlSec: number;
}

/** A request of an app that may use the grant. */
export interface GrantRequest extends TokenRequest {
  app: App;
  /** The app proved with its secret who it is. Else it is a public client, that has to prove it otherwise. */
  isAuthenticated: boolean;
}

/** One way to get tokens. @throws the errors of RFC 6749, section 5.2 */
export type Grant = (request: GrantRequest) => Promise<TokenReply>;
