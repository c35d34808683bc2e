import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { clientAddress } from '../client-address.js';
import { sendPage } from '../pages/page.js';
import { requestResetPage, resetRequestedPage } from '../pages/password-reset-pages.js';
import { anonymousToken, readForm, STALE_FORM } from '../pages/sent-form.js';

const PURPOSE = 'password-reset';

export const showRequest =
  (deps: Deps): Handler =>
  async ({ req, res }) =>
    sendPage(res, 200, requestResetPage({ token: anonymousToken(deps, PURPOSE, { req, res }) }));

/** POST /password-reset: sends the link. */
export const requestReset =
  (deps: Deps): Handler =>
  async ({ req, res }) => {
    const { token, isOurs, read } = await readForm(deps, PURPOSE, { req, res });
    const userName = read('username');
    const problem = isOurs ? (userName.trim() === '' ? 'Enter your user name.' : undefined) : STALE_FORM;
    if (problem !== undefined) return sendPage(res, 400, requestResetPage({ token, problem, userName }));
    await deps.passwordResets.request(userName, clientAddress(req));
    return sendPage(res, 200, resetRequestedPage);
  };
