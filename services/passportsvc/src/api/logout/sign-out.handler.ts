import type { ServerResponse } from 'node:http';
import type { Handler, Reply } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { destinationOf } from '../../domain/consents/consent.js';
import type { SignOutRequest } from '../../domain/oauth/sign-out-target.js';
import { bodyParameters, onlyValue } from '../parameters.js';
import type { BrowserSession } from '../oauth/provider/oauth-provider.js';
import { TOKEN_FIELD } from '../pages/form-tokens.js';
import { messagePage, sendPage, sendRedirect } from '../pages/page.js';
import { SIGN_OUT_PATH } from '../pages/paths.js';
import { signOutPage } from '../pages/sign-out-page.js';
import { parametersOf, signOutRequest } from './sign-out-request.js';

const PROBLEM = 'You are still signed in. Please confirm again.';
const formOf = ({ uid }: BrowserSession) => ['sign-out', uid];

/** GET /logout: asks the user to confirm. */
export const confirmSignOut =
  (deps: Deps): Handler =>
  async ({ req, res }) => {
    const session = await deps.oauthProvider.sessionOf(req, res);
    const request = signOutRequest(req, {});
    const target = await deps.findSignOutTarget(request, session?.userId);
    // Nobody confirms this redirect, so it takes proof that the app knows the user.
    if (!session) return sendSignedOut(res, request.idTokenHint === undefined ? undefined : target);
    return sendConfirmation(deps, { session, request, target }, res);
  };

/** POST /logout: signs out if it is sent by the form. An app may also send its request by POST; the user then confirms. */
export const submitSignOut =
  (deps: Deps): Handler =>
  async ({ req, res }) => {
    const form = await bodyParameters(req);
    const session = await deps.oauthProvider.sessionOf(req, res);
    const request = signOutRequest(req, form);
    // Browsers leave out the session's cookie when another site sends a form, but not when they are redirected.
    if (!session) return sendRedirect(res, `${SIGN_OUT_PATH}?${new URLSearchParams(parametersOf(request)).toString()}`);
    const target = await deps.findSignOutTarget(request, session.userId);
    const token = onlyValue(form, TOKEN_FIELD);
    if (token === undefined || !deps.formTokens.isValid(token, formOf(session))) {
      const problem = token === undefined ? undefined : PROBLEM;
      return sendConfirmation(deps, { session, request, target, problem }, res);
    }
    await deps.oauthProvider.signOut(req, res);
    return sendSignedOut(res, target);
  };

interface Confirmation {
  session: BrowserSession;
  request: SignOutRequest;
  target: URL | undefined;
  problem?: string;
}

function sendConfirmation(
  { formTokens }: Deps,
  { session, request, target, problem }: Confirmation,
  res: ServerResponse,
): Reply {
  const page = signOutPage({
    action: SIGN_OUT_PATH,
    token: formTokens.tokenFor(formOf(session)),
    hidden: target ? parametersOf(request) : {},
    destination: target && destinationOf(target.href),
    problem,
  });
  return sendPage(res, problem === undefined ? 200 : 400, page);
}

function sendSignedOut(res: ServerResponse, target: URL | undefined): Reply {
  if (target) return sendRedirect(res, target.href);
  return sendPage(res, 200, messagePage('Signed out', 'You are signed out.'));
}
