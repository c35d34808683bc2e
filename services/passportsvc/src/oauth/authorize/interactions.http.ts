import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors } from 'oidc-provider';
import type { Interaction, InteractionResults, Provider } from 'oidc-provider';

/** A page of the OAuth server that a browser has been sent to: its path holds the uid, its cookie proves that it is this browser. */
export interface PageRequest {
  uid: string;
  req: IncomingMessage;
  res: ServerResponse;
}

/**
 * What the library asks the user on a page; undefined when it has expired, the browser is another one or the page asks
 * something else.
 */
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

/** A consent that a signed-in user is asked for. */
export interface OpenConsent {
  uid: string;
  /** Identifies the browser's session, which is that of the user. */
  sessionUid: string;
  userId: string;
  clientId: string;
  redirectUri: string;
  /** Continues the authorization; it checks for itself whether the user has consented. @returns the URL where it continues */
  proceed(): Promise<string>;
  /** Reports `access_denied` to the app. @returns the URL at which the authorization ends */
  refuse(): Promise<string>;
}

/** The consent that the request's cookie refers to; undefined when it has expired or the user is no longer signed in. */
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
    // The sign-in before it stays part of the result, or `prompt=login` would ask for it again.
    proceed: () => end({ ...interaction.lastSubmission, consent: {} }),
    refuse: () => end({ error: 'access_denied', error_description: 'The user did not consent.' }),
  };
}

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
