import type { InteractionResults, Provider } from 'oidc-provider';
import { openInteraction } from './open-interaction.js';
import type { PageRequest } from './open-interaction.js';

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
