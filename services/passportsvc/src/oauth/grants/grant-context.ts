import { errors } from 'oidc-provider';
import type { ResourceServerInstance, TokenEndpointGrantContext } from 'oidc-provider';
import { entriesOf } from '../../domain/app.js';
import type { App } from '../../domain/app.js';
import type { FindUserAccount, UserAccount } from '../accounts.js';
import type { AuthorizationStore } from '../authorization.js';
import type { Clients } from '../clients.js';

/** What the grants work with. */
export interface GrantDeps {
  clients: Clients;
  findAccount: FindUserAccount;
  /** What tokens are for. */
  resource: ResourceServerInstance;
  authorizations: AuthorizationStore;
  /** Ends an authorization with all its tokens, everywhere. */
  revoke(authorizationId: string): Promise<void>;
  refreshTokenKey: Buffer;
  refreshTokenTtlSec: number;
}

/** The app that asks. @throws unauthorized_client when it may not use the grant */
export function askingApp({ oidc }: TokenEndpointGrantContext, clients: Clients): App {
  const app = clients.appOf(oidc.client);
  if (!entriesOf(app._authorizedGrantTypes).includes(oidc.params.grant_type)) {
    throw new errors.UnauthorizedClient('the client may not use this grant');
  }
  return app;
}

/** Whether the app proved who it is with its secret. */
export const isAuthenticated = ({ oidc }: TokenEndpointGrantContext): boolean =>
  oidc.client.tokenEndpointAuthMethod !== 'none';

/** A parameter; the library has made sure that it was given once at most. */
export const optional = ({ oidc }: TokenEndpointGrantContext, name: string): string | undefined =>
  oidc.params[name] as string | undefined;

/** A parameter that must be there. @throws invalid_request */
export function required(context: TokenEndpointGrantContext, name: string): string {
  const value = optional(context, name);
  if (value === undefined) throw new errors.InvalidRequest(`${name} is missing`);
  return value;
}

/** The user of an authorization. @throws invalid_grant when the user is gone or deactivated */
export async function accountOf(userId: string, findAccount: FindUserAccount): Promise<UserAccount> {
  const account = await findAccount(userId);
  if (!account) throw new errors.InvalidGrant('the user may not sign in any more');
  return account;
}
