import type { KoaContextWithOIDC } from 'oidc-provider';
import type { FindApp } from '../../../domain/oauth/known-apps.js';
import type { FindUser } from '../../../domain/oauth/known-users.js';
import { GRANTED_SCOPE } from '../../../domain/oauth/scopes.js';
import type { AccessTokens } from '../../../domain/oauth/access-tokens.js';

/** A response mode of the platform for the implicit grant, which the library supports only in combination with a code. */
export const IMPLICIT = 'implicit';

interface Deps {
  findApp: FindApp;
  findUser: FindUser;
  accessTokens: AccessTokens;
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

async function platformToken({ oidc }: KoaContextWithOIDC, { findApp, findUser, accessTokens }: Deps) {
  const { accountId, grantId: authorizationId } = oidc.entities.AccessToken!;
  const [app, user] = await Promise.all([findApp(oidc.client!.clientId), findUser(accountId)]);
  if (!app || !user) throw new Error('the app or the user was removed during the request');
  const { token, expiresInSec } = await accessTokens.issue({ app, user, authorizationId });
  return { access_token: token, token_type: 'bearer', expires_in: expiresInSec, scope: GRANTED_SCOPE };
}
