import type { ServerResponse } from 'node:http';
import type { Reply } from '@dtplatform/http';
import type { Deps } from '../../../deps.js';
import { html } from '../../pages/html.js';
import { messagePage, sendPage } from '../../pages/page.js';
import { ACCOUNT_PATH, PASSWORD_RESET_PATH } from '../../pages/paths.js';
import { signInPage } from '../../pages/sign-in-page.js';
import type { OpenSignIn } from '../provider/open-sign-in.js';

/** Sends the sign-in page of an app, in the app's theme. */
export async function sendSignInPage(
  { signIn, oauthProvider }: Deps,
  { uid, clientId, redirectUri, loginHint }: OpenSignIn,
  res: ServerResponse,
  attempt: { status?: number; userName?: string; problem?: string } = {},
): Promise<Reply> {
  const page = signInPage({
    ...(await signIn.appearanceOf(clientId)),
    action: `${oauthProvider.issuer.pathname}/signin/${uid}`,
    redirectUri,
    resetUrl: PASSWORD_RESET_PATH,
    userName: attempt.userName ?? loginHint,
    problem: attempt.problem,
  });
  return sendPage(res, attempt.status ?? 200, page);
}

export function sendExpiredPage(res: ServerResponse): Reply {
  const message = 'This sign-in has expired. Sign in again from your application, or to your account.';
  const toAccount = html`<p class="more"><a href="${ACCOUNT_PATH}">Your account</a></p>`;
  return sendPage(res, 400, messagePage('Please start again', message, toAccount));
}
