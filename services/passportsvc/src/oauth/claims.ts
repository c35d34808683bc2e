import type { AccessToken, ClientCredentials, JWTStructured, KoaContextWithOIDC } from 'oidc-provider';
import type { App } from '../domain/app.js';
import type { UserAccount } from './accounts.js';
import type { Clients } from './clients.js';

/** Puts the platform's claims into an access token, beside those of RFC 9068. */
export const addClaims =
  (clients: Clients) =>
  (context: KoaContextWithOIDC, token: AccessToken | ClientCredentials, jwt: JWTStructured): void => {
    const app = clients.appOf(context.oidc.client!);
    const ofUser = token.kind === 'AccessToken';
    Object.assign(
      jwt.payload,
      { app_id: app._id, scope: ['read', 'write'] },
      ofUser
        ? { ...claimsOfUser(context.oidc.account as UserAccount), grant_id: token.grantId }
        : { user_name: app._id, name: app._name, authorities: authoritiesOfApp(app) },
    );
  };

const claimsOfUser = ({ accountId, displayName, isAdmin }: UserAccount) => ({
  user_name: accountId,
  name: displayName,
  authorities: ['ROLE_USER', ...(isAdmin ? ['ROLE_ADMIN'] : [])],
});

const authoritiesOfApp = ({ _trusted }: App) => ['ROLE_APP', ...(_trusted ? ['ROLE_TRUSTED_CLIENT'] : [])];
