import type { IncomingMessage } from 'node:http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { clientAddress } from '../client-address.js';
import { sendPage, sendRedirect } from '../pages/page.js';
import {
  ACCOUNT_PATH,
  ACCOUNT_SIGN_IN_PATH,
  inviteSignInUrl,
  INVITES_PATH,
  PASSWORD_RESET_PATH,
} from '../pages/paths.js';
import { anonymousToken, readForm, STALE_FORM } from '../pages/sent-form.js';
import { signInPage, WRONG_CREDENTIALS } from '../pages/sign-in-page.js';
import { onlyValue, queryParameters } from '../parameters.js';

const PURPOSE = 'account-sign-in';

/**
 * Where a sign-in without an app leads: to the account page, or to the invite whose token is in the query. The page then looks
 * like that of the invite.
 */
async function targetOf({ invites }: Deps, req: IncomingMessage) {
  const link = onlyValue(queryParameters(req), 'invite') ?? '';
  const invite = await invites.open(link);
  return invite
    ? { action: inviteSignInUrl(link), next: `${INVITES_PATH}/${link}`, theme: invite.theme }
    : { action: ACCOUNT_SIGN_IN_PATH, next: ACCOUNT_PATH };
}

const resetUrl = PASSWORD_RESET_PATH;

export const showSignIn =
  (deps: Deps): Handler =>
  async ({ req, res }) => {
    const { action, theme } = await targetOf(deps, req);
    const token = anonymousToken(deps, PURPOSE, { req, res });
    return sendPage(res, 200, signInPage({ action, theme, token, resetUrl }));
  };

export const submitSignIn =
  (deps: Deps): Handler =>
  async ({ req, res }) => {
    const { action, next, theme } = await targetOf(deps, req);
    const { token, isOurs, read } = await readForm(deps, PURPOSE, { req, res });
    const userName = read('username');
    const again = (status: number, problem: string) =>
      sendPage(res, status, signInPage({ action, theme, token, resetUrl, userName, problem }));
    if (!isOurs) return again(400, STALE_FORM);
    const user = await deps.signIn.verify(userName, read('password'), clientAddress(req));
    if (!user) return again(401, WRONG_CREDENTIALS);
    await deps.oauthProvider.signIn(req, res, user._id);
    return sendRedirect(res, next);
  };
