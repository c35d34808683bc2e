import { errors } from 'oidc-provider';
import type { TokenEndpointGrantContext } from 'oidc-provider';
import { checkScope, GRANTED_SCOPE } from '../scopes.js';
import { askingApp, isAuthenticated } from './grant-context.js';
import type { GrantDeps } from './grant-context.js';
import { tokenReply } from './token-reply.js';

/** The parameters of the grant (RFC 6749, section 4.4.2). */
export const CLIENT_CREDENTIALS_PARAMETERS = ['scope'];

/** A token for an app itself. */
export const clientCredentialsGrant =
  ({ clients, resource }: GrantDeps) =>
  async (context: TokenEndpointGrantContext): Promise<void> => {
    if (!isAuthenticated(context)) throw new errors.InvalidClientAuth('the secret is needed');
    askingApp(context, clients);
    checkScope(context.oidc.params.scope);
    const { client, provider } = context.oidc;
    const token = new provider.ClientCredentials({
      client,
      resourceServer: resource,
      scope: GRANTED_SCOPE,
    });
    context.body = await tokenReply(token, { appId: client.clientId, userName: client.clientId });
  };
