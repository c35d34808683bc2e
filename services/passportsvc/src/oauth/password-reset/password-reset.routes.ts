import { commonErrors } from '@dtplatform/errors';
import { route, routes } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import { errors } from '../../errors.js';
import {
  anonymousToken,
  NewPasswordForm,
  readForm,
  ResetLinkQuery,
  ResetRequestForm,
  STALE_FORM,
} from '../../pages/forms.http.js';
import type { FormTokens } from '../../pages/forms.http.js';
import { FORM, pageErrors, pageResponse, pageThat, sendPage } from '../../pages/page.http.js';
import {
  deadLinkPage,
  newPasswordPage,
  passwordChangedPage,
  requestResetPage,
  resetRequestedPage,
} from '../../pages/password-reset.page.js';
import { clientAddress, onlyValue, queryParameters } from '../../requests/parameters.http.js';
import { passwordProblem } from '../../scim/users/user.js';
import type { OAuthProvider } from '../authorize/oauth-provider.http.js';
import type { PasswordResets } from './password-resets.js';

interface Parts {
  passwordResets: PasswordResets;
  formTokens: FormTokens;
  oauthProvider: OAuthProvider;
}

const REQUEST_FORM = 'password-reset';

const showRequest =
  (parts: Parts): Handler =>
  async ({ req, res }) =>
    sendPage(res, 200, requestResetPage({ token: anonymousToken(parts, REQUEST_FORM, { req, res }) }));

const requestReset =
  (parts: Parts): Handler =>
  async ({ req, res }) => {
    const { token, isOurs, read } = await readForm(parts, REQUEST_FORM, { req, res });
    const userName = read('username');
    const problem = isOurs ? (userName.trim() === '' ? 'Enter your user name.' : undefined) : STALE_FORM;
    if (problem !== undefined) return sendPage(res, 400, requestResetPage({ token, problem, userName }));
    await parts.passwordResets.request(userName, clientAddress(req));
    return sendPage(res, 200, resetRequestedPage);
  };

const NEW_PASSWORD_FORM = 'new-password';
const GONE = 410;

/** GET /password-reset/new. Changes nothing: mail scanners open links, too. */
const showNewPassword =
  (parts: Parts): Handler =>
  async ({ req, res }) => {
    const link = onlyValue(queryParameters(req), 'token') ?? '';
    const state = await parts.passwordResets.stateOf(link);
    if (state !== 'valid') return sendPage(res, GONE, deadLinkPage(state));
    return sendPage(res, 200, newPasswordPage({ token: anonymousToken(parts, NEW_PASSWORD_FORM, { req, res }), link }));
  };

const completeReset =
  (parts: Parts): Handler =>
  async ({ req, res }) => {
    const { token, isOurs, read } = await readForm(parts, NEW_PASSWORD_FORM, { req, res });
    const [link, password] = [read('token'), read('new_password')];
    const before = await parts.passwordResets.stateOf(link);
    if (before !== 'valid') return sendPage(res, GONE, deadLinkPage(before));
    const problem = isOurs ? passwordProblem(password, read('repeat_password')) : STALE_FORM;
    if (problem !== undefined) return sendPage(res, 400, newPasswordPage({ token, problem, link }));
    const state = await parts.passwordResets.complete(link, password);
    if (state !== 'valid') return sendPage(res, GONE, deadLinkPage(state));
    return sendPage(res, 200, passwordChangedPage);
  };

const gone = pageThat('says that the link was used, has expired or never existed');

export const passwordResetRoutes = (parts: Parts) =>
  routes(
    '/password-reset',
    [
      route.get('/', {
        operation: 'passwordReset.show',
        summary: 'Show the page on which users request a new password.',
        auth: 'none',
        responses: { 200: pageResponse },
        handler: showRequest(parts),
      }),
      route.post('/', {
        operation: 'passwordReset.request',
        summary: 'Email a user the link for a new password.',
        description: 'The response is the same for every name. A user receives at most 3 emails per hour.',
        errors: [errors.invalidRequest, commonErrors.tooManyRequests],
        auth: 'none',
        streamedBody: FORM,
        shownBody: ResetRequestForm,
        responses: { 200: pageResponse, 400: pageResponse },
        handler: requestReset(parts),
      }),
      route.get('/new', {
        operation: 'passwordReset.open',
        summary: 'Show the page of the link, on which the user sets the new password. The link remains valid.',
        auth: 'none',
        query: ResetLinkQuery,
        responses: { 200: pageResponse, 410: gone },
        handler: showNewPassword(parts),
      }),
      route.post('/new', {
        operation: 'passwordReset.complete',
        summary: 'Set the new password, which ends all sessions and tokens of the user.',
        description: 'The link works once, for 30 minutes.',
        errors: [errors.invalidRequest, commonErrors.tooManyRequests],
        auth: 'none',
        streamedBody: FORM,
        shownBody: NewPasswordForm,
        responses: { 200: pageResponse, 400: pageResponse, 410: gone },
        handler: completeReset(parts),
      }),
    ],
    { errorFormat: pageErrors },
  );
