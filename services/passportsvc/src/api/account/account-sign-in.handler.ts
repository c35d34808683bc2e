import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { onlyValue } from '../logout/sign-out-request.js';
import { queryParameters } from '../oauth/parameters.js';
import { clientAddress } from '../oauth/sign-in/client-address.js';
import { sendPage, sendRedirect } from '../pages/page.js';
import { ACCOUNT_PATH, ACCOUNT_SIGN_IN_PATH, INVITES_PATH, PASSWORD_RESET_PATH } from '../pages/paths.js';
import { anonymousToken, readForm, STALE_FORM } from '../pages/sent-form.js';
import { signInPage } from '../pages/sign-in-page.js';

const PURPOSE = 'account-sign-in';
const PROBLEM = 'The user name or the password is wrong.';
const INVITE_TOKEN = /^[\w-]{1,128}$/;

/** Signs a browser in without an app: for the account page, or for the invite whose token is in the query. */
const pathsOf = (invite = '') =>
  INVITE_TOKEN.test(invite)
    ? { action: `${ACCOUNT_SIGN_IN_PATH}?invite=${invite}`, next: `${INVITES_PATH}/${invite}` }
    : { action: ACCOUNT_SIGN_IN_PATH, next: ACCOUNT_PATH };

const resetUrl = PASSWORD_RESET_PATH;

export const showSignIn =
  (deps: Deps): Handler =>
  async ({ req, res }) => {
    const { action } = pathsOf(onlyValue(queryParameters(req), 'invite'));
    return sendPage(res, 200, signInPage({ action, token: anonymousToken(deps, PURPOSE, { req, res }), resetUrl }));
  };

export const submitSignIn =
  (deps: Deps): Handler =>
  async ({ req, res }) => {
    const { action, next } = pathsOf(onlyValue(queryParameters(req), 'invite'));
    const { token, isOurs, read } = await readForm(deps, PURPOSE, { req, res });
    const userName = read('username');
    const again = (status: number, problem: string) =>
      sendPage(res, status, signInPage({ action, token, resetUrl, userName, problem }));
    if (!isOurs) return again(400, STALE_FORM);
    const user = await deps.signIn.verify(userName, read('password'), clientAddress(req));
    if (!user) return again(401, PROBLEM);
    await deps.oauthProvider.signIn(req, res, user._id);
    return sendRedirect(res, next);
  };
