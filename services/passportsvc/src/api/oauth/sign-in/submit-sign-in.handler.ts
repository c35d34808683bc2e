import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../../deps.js';
import { sendRedirect } from '../../pages/page.js';
import type { SignInParams } from '../oauth.schemas.js';
import { bodyParameters, single } from '../parameters.js';
import { sendExpiredPage, sendSignInPage } from './send-sign-in-page.js';

/** One message for every failure, so that it does not reveal which user names exist. */
const PROBLEM = 'The user name or the password is wrong.';

/** POST /oauth/signin/{uid}: checks name and password and redirects to the authorize endpoint. */
export const submitSignIn =
  (deps: Deps): Handler<{ params: SignInParams }> =>
  async ({ params, req, res }) => {
    const { signIn, oauthProvider } = deps;
    const open = await oauthProvider.openSignIn({ uid: params.uid, req, res });
    if (!open) return sendExpiredPage(res);
    const form = await bodyParameters(req);
    const userName = single(form, 'username') ?? '';
    const user = await signIn.verify(userName, single(form, 'password') ?? '');
    if (!user) return sendSignInPage(deps, open, res, { status: 401, userName, problem: PROBLEM });
    return sendRedirect(res, await open.complete(user._id));
  };
