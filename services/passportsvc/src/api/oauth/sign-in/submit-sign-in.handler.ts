import { AppError } from '@dtplatform/errors';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../../deps.js';
import { clientAddress } from '../../client-address.js';
import { sendRedirect } from '../../pages/page.js';
import { WRONG_CREDENTIALS } from '../../pages/sign-in-page.js';
import { bodyParameters, single } from '../../parameters.js';
import type { SignInParams } from '../oauth.schemas.js';
import { sendExpiredPage, sendSignInPage } from './send-sign-in-page.js';

const tooMany = (seconds: number) =>
  `Too many attempts. Please wait ${seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`} and try again.`;

/** POST /oauth/signin/{uid}: checks name and password and redirects to the authorize endpoint. */
export const submitSignIn =
  (deps: Deps): Handler<{ params: SignInParams }> =>
  async ({ params, req, res }) => {
    const { signIn, oauthProvider } = deps;
    const open = await oauthProvider.openSignIn({ uid: params.uid, req, res });
    if (!open) return sendExpiredPage(res);
    const form = await bodyParameters(req);
    const userName = single(form, 'username') ?? '';
    const password = single(form, 'password') ?? '';
    try {
      const user = await signIn.verify(userName, password, clientAddress(req));
      if (!user) return await sendSignInPage(deps, open, res, { status: 401, userName, problem: WRONG_CREDENTIALS });
      return sendRedirect(res, await open.complete(user._id));
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 429) throw error;
      const retryAfter = error.headers['retry-after']!;
      res.setHeader('retry-after', retryAfter);
      return sendSignInPage(deps, open, res, { status: 429, userName, problem: tooMany(Number(retryAfter)) });
    }
  };
