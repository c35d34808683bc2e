import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors } from 'oidc-provider';
import type { Interaction, InteractionResults, Provider } from 'oidc-provider';

/** A browser on a page of the OAuth server: the path holds the uid, the cookie proves that it is the same browser. */
export interface PageRequest {
  uid: string;
  req: IncomingMessage;
  res: ServerResponse;
}

/** The interaction of a page; undefined when it has expired, belongs to another browser or to another page. */
async function openInteraction(
  provider: Provider,
  { uid, req, res }: PageRequest,
  prompt: 'login' | 'consent',
): Promise<Interaction | undefined> {
  const interaction = await provider.interactionDetails(req, res).catch((error: unknown) => {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  });
  return interaction?.uid === uid && interaction.prompt.name === prompt ? interaction : undefined;
}

export interface OpenConsent {
  uid: string;
  sessionUid: string;
  userId: string;
  clientId: string;
  redirectUri: string;
  /** Continues the authorization, which checks the consent itself. @returns the URL where it continues */
  proceed(): Promise<string>;
  /** Reports `access_denied` to the app. @returns the URL where the authorization ends */
  refuse(): Promise<string>;
}

/** The consent request of the cookie; undefined when it has expired or the user is signed out. */
export async function openConsent(provider: Provider, page: PageRequest): Promise<OpenConsent | undefined> {
  const interaction = await openInteraction(provider, page, 'consent');
  if (!interaction) return undefined;
  const session = await provider.Session.get(provider.createContext(page.req, page.res));
  const { uid, params, session: asked } = interaction;
  if (asked?.uid !== session.uid || asked.accountId !== session.accountId) return undefined;

  async function end(result: InteractionResults): Promise<string> {
    interaction!.result = result;
    await interaction!.persist();
    return interaction!.returnTo;
  }

  return {
    uid,
    sessionUid: session.uid,
    userId: asked.accountId,
    clientId: String(params.client_id),
    redirectUri: String(params.redirect_uri),
    // Keeps the preceding sign-in in the result, or `prompt=login` would ask for it again.
    proceed: () => end({ ...interaction.lastSubmission, consent: {} }),
    refuse: () => end({ error: 'access_denied', error_description: 'The user did not consent.' }),
  };
}

export interface OpenSignIn {
  uid: string;
  clientId: string;
  redirectUri: string;
  loginHint?: string;
  /** Signs the browser in. @returns the URL where the authorization continues */
  complete(userId: string): Promise<string>;
}

/** The sign-in of the cookie; undefined when it does not exist or has expired. */
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
      // The library would ask a browser with another user whether to switch. Signing in again already answers that.
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
