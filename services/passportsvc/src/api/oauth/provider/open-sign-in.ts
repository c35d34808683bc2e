import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors } from 'oidc-provider';
import type { Provider } from 'oidc-provider';

/** A sign-in that a browser has started and not finished. */
export interface OpenSignIn {
  uid: string;
  clientId: string;
  redirectUri: string;
  loginHint?: string;
  /** Signs the browser in as this user. @returns the URL at which the authorization continues */
  complete(userId: string): Promise<string>;
}

/**
 * The sign-in that the request's cookie refers to; undefined when it does not exist or has expired.
 * @param uid from the path; must be the cookie's
 */
export async function openSignIn(
  provider: Provider,
  uid: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<OpenSignIn | undefined> {
  const interaction = await provider.interactionDetails(req, res).catch((error: unknown) => {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  });
  if (interaction?.uid !== uid) return undefined;
  const { params } = interaction;

  return {
    uid,
    clientId: String(params.client_id),
    redirectUri: String(params.redirect_uri),
    loginHint: params.login_hint as string | undefined,
    async complete(userId) {
      // If another user is signed in, the library would ask whether to switch. Signing in again already answers that.
      if (interaction.session && interaction.session.accountId !== userId) {
        const session = await provider.Session.get(provider.createContext(req, res));
        await session.destroy();
        interaction.session = undefined;
      }
      interaction.result = { login: { accountId: userId } };
      await interaction.persist();
      return interaction.returnTo;
    },
  };
}
