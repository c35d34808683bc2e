import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { passwordProblem } from '../../domain/account/new-password.js';
import { sendPage } from '../pages/page.js';
import { deadLinkPage, newPasswordPage, passwordChangedPage } from '../pages/password-reset-pages.js';
import { anonymousToken, readForm, STALE_FORM } from '../pages/sent-form.js';
import { onlyValue, queryParameters } from '../parameters.js';

const PURPOSE = 'new-password';
const GONE = 410;

/** GET /password-reset/new: opening the link changes nothing, as programs that check mails open links, too. */
export const showNewPassword =
  (deps: Deps): Handler =>
  async ({ req, res }) => {
    const link = onlyValue(queryParameters(req), 'token') ?? '';
    const state = await deps.passwordResets.stateOf(link);
    if (state !== 'valid') return sendPage(res, GONE, deadLinkPage(state));
    return sendPage(res, 200, newPasswordPage({ token: anonymousToken(deps, PURPOSE, { req, res }), link }));
  };

/** POST /password-reset/new: sets the password. */
export const completeReset =
  (deps: Deps): Handler =>
  async ({ req, res }) => {
    const { token, isOurs, read } = await readForm(deps, PURPOSE, { req, res });
    const [link, password] = [read('token'), read('new_password')];
    const before = await deps.passwordResets.stateOf(link);
    if (before !== 'valid') return sendPage(res, GONE, deadLinkPage(before));
    const problem = isOurs ? passwordProblem(password, read('repeat_password')) : STALE_FORM;
    if (problem !== undefined) return sendPage(res, 400, newPasswordPage({ token, problem, link }));
    const state = await deps.passwordResets.complete(link, password);
    if (state !== 'valid') return sendPage(res, GONE, deadLinkPage(state));
    return sendPage(res, 200, passwordChangedPage);
  };
