import { errors, interactionPolicy } from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Consents } from '../../../domain/consents/consents.js';

/** When the library sends a browser to the sign-in page or to the consent page. */
export function createInteractionPolicy(consents: Consents) {
  const { base, Check, Prompt } = interactionPolicy;
  const policy = base();
  policy.remove('consent');
  const isMissing = ({ oidc }: KoaContextWithOIDC) => isConsentMissing(oidc, consents);
  const check = new Check('consent_missing', 'The user has not consented.', 'consent_required', isMissing);
  policy.add(new Prompt({ name: 'consent' }, check));
  return policy;
}

async function isConsentMissing({ session, client, params }: KoaContextWithOIDC['oidc'], consents: Consents) {
  const request = await consents.requestOf({
    userId: session!.accountId!,
    clientId: client!.clientId,
    redirectUri: String(params!.redirect_uri),
  });
  if (!request) throw new errors.AccessDenied('The user or the application no longer exists.');
  return consents.isMissing(request);
}
