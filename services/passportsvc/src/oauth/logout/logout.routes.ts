import type { IncomingMessage, ServerResponse } from 'node:http';
import { route, routes } from '@dtplatform/http';
import type { Handler, RouteResponse } from '@dtplatform/http';
import { errors } from '../../errors.js';
import { SignOutForm, SignOutQuery, TOKEN_FIELD } from '../../pages/forms.http.js';
import type { FormTokens } from '../../pages/forms.http.js';
import {
  FORM,
  messagePage,
  pageErrors,
  pageResponse,
  redirectTo,
  sendPage,
  sendRedirect,
} from '../../pages/page.http.js';
import { SIGN_OUT_PATH } from '../../pages/paths.js';
import { signOutPage } from '../../pages/sign-out.page.js';
import { bodyParameters, onlyValue, queryParameters } from '../../requests/parameters.http.js';
import type { Parameters } from '../../requests/parameters.http.js';
import type { BrowserSession, OAuthProvider } from '../authorize/oauth-provider.http.js';
import { destinationOf } from '../consents/consent.js';
import type { FindSignOutTarget, SignOutRequest } from './sign-out-target.js';

interface Parts {
  oauthProvider: OAuthProvider;
  findSignOutTarget: FindSignOutTarget;
  formTokens: FormTokens;
}

function signOutRequest(req: IncomingMessage, form: Parameters): SignOutRequest {
  const query = queryParameters(req);
  const read = (name: string) => onlyValue(form, name) ?? onlyValue(query, name);
  return {
    idTokenHint: read('id_token_hint'),
    clientId: read('client_id'),
    postLogoutRedirectUri: read('post_logout_redirect_uri'),
    state: read('state'),
  };
}

function parametersOf(request: SignOutRequest): Record<string, string> {
  const all = {
    id_token_hint: request.idTokenHint,
    client_id: request.clientId,
    post_logout_redirect_uri: request.postLogoutRedirectUri,
    state: request.state,
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

const PROBLEM = 'You are still signed in. Please confirm again.';
const formOf = ({ uid }: BrowserSession) => ['sign-out', uid];

const confirmSignOut =
  (parts: Parts): Handler =>
  async ({ req, res }) => {
    const session = await parts.oauthProvider.sessionOf(req, res);
    const request = signOutRequest(req, {});
    const target = await parts.findSignOutTarget(request, session?.userId);
    // Without confirmation, redirecting requires proof that the app knows the user.
    if (!session) return sendSignedOut(res, request.idTokenHint === undefined ? undefined : target);
    return sendConfirmation(parts, { session, request, target }, res);
  };

/** POST /logout: signs out if our form sent it. An app may also POST its request; the user then confirms. */
const submitSignOut =
  (parts: Parts): Handler =>
  async ({ req, res }) => {
    const form = await bodyParameters(req);
    const session = await parts.oauthProvider.sessionOf(req, res);
    const request = signOutRequest(req, form);
    // Browsers omit the session cookie on cross-site form posts, but not on redirects.
    if (!session) return sendRedirect(res, `${SIGN_OUT_PATH}?${new URLSearchParams(parametersOf(request)).toString()}`);
    const target = await parts.findSignOutTarget(request, session.userId);
    const token = onlyValue(form, TOKEN_FIELD);
    if (token === undefined || !parts.formTokens.isValid(token, formOf(session))) {
      const problem = token === undefined ? undefined : PROBLEM;
      return sendConfirmation(parts, { session, request, target, problem }, res);
    }
    await parts.oauthProvider.signOut(req, res);
    return sendSignedOut(res, target);
  };

interface Confirmation {
  session: BrowserSession;
  request: SignOutRequest;
  target: URL | undefined;
  problem?: string;
}

function sendConfirmation(
  { formTokens }: Parts,
  { session, request, target, problem }: Confirmation,
  res: ServerResponse,
): RouteResponse {
  const page = signOutPage({
    action: SIGN_OUT_PATH,
    token: formTokens.tokenFor(formOf(session)),
    hidden: target ? parametersOf(request) : {},
    destination: target && destinationOf(target.href),
    problem,
  });
  return sendPage(res, problem === undefined ? 200 : 400, page);
}

function sendSignedOut(res: ServerResponse, target: URL | undefined): RouteResponse {
  if (target) return sendRedirect(res, target.href);
  return sendPage(res, 200, messagePage('Signed out', 'You are signed out.'));
}

const target = redirectTo('`post_logout_redirect_uri` of the app, or the confirmation.');

/** Sign-out (docs/contract.md, "Sign-out") ends the browser's session; tokens of apps remain valid. */
export const logoutRoutes = (parts: Parts) =>
  routes(
    '/logout',
    [
      route.get('/', {
        operation: 'signout.get',
        summary: 'Ask the user to confirm the sign-out.',
        description: 'Apps send the browser here. Inconsistent parameters are ignored.',
        auth: 'none',
        query: SignOutQuery,
        headers: { 303: [target] },
        responses: { 200: pageResponse, 303: null },
        handler: confirmSignOut(parts),
      }),
      route.post('/', {
        operation: 'signout.post',
        summary: 'Sign this browser out. Tokens of apps remain valid.',
        description: 'Apps can also send their requests here; the user is then asked to confirm.',
        errors: [errors.invalidRequest],
        auth: 'none',
        query: SignOutQuery,
        streamedBody: FORM,
        shownBody: SignOutForm,
        headers: { 303: [target] },
        responses: { 200: pageResponse, 303: null, 400: pageResponse },
        handler: submitSignOut(parts),
      }),
    ],
    { errorFormat: pageErrors },
  );
