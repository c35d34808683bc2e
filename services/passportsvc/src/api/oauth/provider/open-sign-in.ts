import type { Provider } from 'oidc-provider';
import { openInteraction } from './open-interaction.js';
import type { PageRequest } from './open-interaction.js';

/** A sign-in that a browser has started and not finished. */
export interface OpenSignIn {
  uid: string;
  clientId: string;
  redirectUri: string;
  loginHint?: string;
  /** Signs the browser in as this user. @returns the URL at which the authorization continues */
  complete(userId: string): Promise<string>;
}

/** The sign-in that the request's cookie refers to; undefined when it does not exist or has expired. */
export async function openSignIn(provider: Provider, page: PageRequest): Promise<OpenSignIn | undefined> {
  const interaction = await openInteraction(provider, page, 'login');
  if (!interaction) return undefined;
  const { uid, params } = interaction;

  return {
    uid,
    clientId: String(params.client_id),
    redirectUri: String(params.redirect_uri),
    loginHint: params.login_hint as string | undefined,
    async complete(userId) {
      // If another user is signed in, the library would ask whether to switch. Signing in again already answers that.
      const session = await provider.Session.get(provider.createContext(page.req, page.res));
      if (session.accountId !== undefined && session.accountId !== userId) {
        await session.destroy();
        interaction.session = undefined;
      }
      interaction.result = { login: { accountId: userId } };
      await interaction.persist();
      return interaction.returnTo;
    },
  };
}
