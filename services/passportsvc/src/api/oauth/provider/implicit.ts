import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Consents } from '../../../domain/consents/consents.js';
import { GRANTED_SCOPE } from '../../../domain/oauth/scopes.js';
import type { AccessTokens } from '../../../domain/oauth/access-tokens.js';
import { issueForUser } from '../../../domain/oauth/issue-for-user.js';
import type { AuthorizationStore } from '../../../domain/oauth/ports.js';

/** A response mode of the platform for the implicit grant, which the library supports only in combination with a code. */
export const IMPLICIT = 'implicit';

interface Deps {
  accessTokens: AccessTokens;
  consents: Consents;
  stores: { authorizations: AuthorizationStore };
}

/**
 * Redirects the browser to the app with the answer in the fragment (RFC 6749, section 4.2.2), without the code and with a
 * token of the platform instead of the library's.
 */
export const answerImplicit =
  (deps: Deps) =>
  async (context: KoaContextWithOIDC, redirectUri: string, answer: Record<string, unknown>): Promise<void> => {
    const { code: _code, ...kept } = answer;
    const fields = 'access_token' in answer ? { ...kept, ...(await platformToken(context, deps)) } : kept;
    const fragment = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) fragment.set(name, String(value));
    const target = new URL(redirectUri);
    target.hash = fragment.toString();
    context.status = 303;
    context.redirect(target.href);
  };

/** The authorization is kept for as long as the token works, so that it is found when the consent is revoked. */
async function platformToken({ oidc }: KoaContextWithOIDC, { consents, stores, ...deps }: Deps) {
  const { accountId: userId, grantId: authorizationId } = oidc.entities.AccessToken!;
  const redirectUri = String(oidc.params!.redirect_uri);
  const request = await consents.requestOf({ userId, clientId: oidc.client!.clientId, redirectUri });
  if (!request) throw new Error('the app or the user was removed during the request');
  const { token, expiresInSec } = await issueForUser({ ...request, authorizationId }, { ...deps, consents });
  await stores.authorizations.useUp(authorizationId, new Date(Date.now() + expiresInSec * 1000));
  return { access_token: token, token_type: 'bearer', expires_in: expiresInSec, scope: GRANTED_SCOPE };
}
