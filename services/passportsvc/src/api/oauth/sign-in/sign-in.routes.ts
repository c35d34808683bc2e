import { route, routes } from '@dtplatform/http';
import type { Deps } from '../../../deps.js';
import { pageErrors } from '../../pages/page-errors.js';
import { pageReply } from '../../pages/page.js';
import { SignInParams } from '../oauth.schemas.js';
import { sendExpiredPage, sendSignInPage } from './send-sign-in-page.js';
import { submitSignIn } from './submit-sign-in.handler.js';

const redirect = { contentType: 'text/html', description: 'Leads back to the authorize endpoint.' };

/** The sign-in page. */
export const signInRoutes = (deps: Deps) =>
  routes(
    '/oauth/signin',
    [
      route.get('/:uid', {
        operation: 'signin.show',
        summary: 'The sign-in page.',
        auth: 'none',
        params: SignInParams,
        replies: { 200: pageReply },
        handler: async ({ params, req, res }) => {
          const open = await deps.oauthProvider.openSignIn({ uid: params.uid, req, res });
          return open ? sendSignInPage(deps, open, res) : sendExpiredPage(res);
        },
      }),
      route.post('/:uid', {
        operation: 'signin.submit',
        summary: 'Sign in with the form fields username and password.',
        auth: 'none',
        params: SignInParams,
        streamedBody: 'application/x-www-form-urlencoded',
        replies: { 303: redirect, 401: pageReply, 429: pageReply },
        handler: submitSignIn(deps),
      }),
    ],
    { errorFormat: pageErrors },
  );
