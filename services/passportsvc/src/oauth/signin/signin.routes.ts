import type { ServerResponse } from 'node:http';
import { AppError } from '@dtplatform/errors';
import { retryAfterHeader, route, routes } from '@dtplatform/http';
import type { Handler, RouteResponse } from '@dtplatform/http';
import { errors } from '../../errors.js';
import { SignInForm } from '../../pages/forms.http.js';
import { html } from '../../pages/html.js';
import {
  FORM,
  messagePage,
  pageErrors,
  pageResponse,
  pageThat,
  redirectTo,
  sendPage,
  sendRedirect,
} from '../../pages/page.http.js';
import { ACCOUNT_PATH, PASSWORD_RESET_PATH } from '../../pages/paths.js';
import { signInPage, WRONG_CREDENTIALS } from '../../pages/sign-in.page.js';
import { bodyParameters, clientAddress, single } from '../../requests/parameters.http.js';
import type { OpenSignIn } from '../authorize/interactions.http.js';
import type { OAuthProvider } from '../authorize/oauth-provider.http.js';
import { SignInParams } from '../oauth-parameters.http.js';
import type { SignIn } from './sign-in.js';

interface Parts {
  signIn: SignIn;
  oauthProvider: OAuthProvider;
}

async function sendSignInPage(
  { signIn, oauthProvider }: Parts,
  { uid, clientId, redirectUri, loginHint }: OpenSignIn,
  res: ServerResponse,
  attempt: { status?: number; userName?: string; problem?: string } = {},
): Promise<RouteResponse> {
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

export function sendExpiredPage(res: ServerResponse): RouteResponse {
  const message = 'This sign-in has expired. Sign in again from your application or to your account.';
  const toAccount = html`<p class="more"><a href="${ACCOUNT_PATH}">Your account</a></p>`;
  return sendPage(res, 400, messagePage('Please start again', message, toAccount));
}

const tooMany = (seconds: number) =>
  `Too many attempts. Please wait ${seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`} and try again.`;

/** POST /oauth/signin/{uid}: checks name and password and redirects to the authorize endpoint. */
const submitSignIn =
  (parts: Parts): Handler<{ params: SignInParams }> =>
  async ({ params, req, res }) => {
    const { signIn, oauthProvider } = parts;
    const open = await oauthProvider.openSignIn({ uid: params.uid, req, res });
    if (!open) return sendExpiredPage(res);
    const form = await bodyParameters(req);
    const userName = single(form, 'username') ?? '';
    const password = single(form, 'password') ?? '';
    try {
      const user = await signIn.verify(userName, password, clientAddress(req));
      if (!user) return await sendSignInPage(parts, open, res, { status: 401, userName, problem: WRONG_CREDENTIALS });
      return sendRedirect(res, await open.complete(user._id));
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 429) throw error;
      const retryAfter = error.headers['retry-after']!;
      res.setHeader('retry-after', retryAfter);
      return sendSignInPage(parts, open, res, { status: 429, userName, problem: tooMany(Number(retryAfter)) });
    }
  };

export const signInRoutes = (parts: Parts) =>
  routes(
    '/oauth/signin',
    [
      route.get('/:uid', {
        operation: 'signin.show',
        summary: 'Show the sign-in page of an app.',
        auth: 'none',
        params: SignInParams,
        responses: { 200: pageResponse, 400: pageResponse },
        handler: async ({ params, req, res }) => {
          const open = await parts.oauthProvider.openSignIn({ uid: params.uid, req, res });
          return open ? sendSignInPage(parts, open, res) : sendExpiredPage(res);
        },
      }),
      route.post('/:uid', {
        operation: 'signin.submit',
        summary: 'Sign a user in to an app and the browser.',
        description: 'The cookie of the sign-in page identifies the sign-in. Wrong credentials show the page again.',
        errors: [errors.invalidRequest],
        auth: 'none',
        params: SignInParams,
        streamedBody: FORM,
        shownBody: SignInForm,
        headers: { 303: [redirectTo('The authorize endpoint, which continues from there.')], 429: [retryAfterHeader] },
        responses: {
          303: null,
          400: pageResponse,
          401: pageThat('says that the user name or password is wrong, and asks again'),
          429: pageThat('says how long to wait after too many wrong passwords'),
        },
        handler: submitSignIn(parts),
      }),
    ],
    { errorFormat: pageErrors },
  );
