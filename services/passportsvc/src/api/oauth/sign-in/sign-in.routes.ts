import { retryAfterHeader, route, routes } from '@dtplatform/http';
import type { Deps } from '../../../deps.js';
import { errors } from '../../../errors.js';
import { SignInForm } from '../../pages/forms.schemas.js';
import { pageErrors } from '../../pages/page-errors.js';
import { FORM, redirectTo } from '../../pages/page-headers.js';
import { pageReply, pageThat } from '../../pages/page.js';
import { SignInParams } from '../oauth.schemas.js';
import { sendExpiredPage, sendSignInPage } from './send-sign-in-page.js';
import { submitSignIn } from './submit-sign-in.handler.js';

/** The sign-in page. */
export const signInRoutes = (deps: Deps) =>
  routes(
    '/oauth/signin',
    [
      route.get('/:uid', {
        operation: 'signin.show',
        summary: 'Show the sign-in page of an app.',
        auth: 'none',
        params: SignInParams,
        replies: { 200: pageReply, 400: pageReply },
        handler: async ({ params, req, res }) => {
          const open = await deps.oauthProvider.openSignIn({ uid: params.uid, req, res });
          return open ? sendSignInPage(deps, open, res) : sendExpiredPage(res);
        },
      }),
      route.post('/:uid', {
        operation: 'signin.submit',
        summary: 'Sign a user in to an app, and in the browser.',
        description: 'The cookie of the sign-in page says which sign-in it is. Wrong credentials show the page again.',
        errors: [errors.invalidRequest],
        auth: 'none',
        params: SignInParams,
        streamedBody: FORM,
        shownBody: SignInForm,
        headers: { 303: [redirectTo('The authorize endpoint, which continues from there.')], 429: [retryAfterHeader] },
        replies: {
          303: null,
          400: pageReply,
          401: pageThat('says that the user name or password is wrong, and asks again'),
          429: pageThat('says how long to wait after too many wrong passwords'),
        },
        handler: submitSignIn(deps),
      }),
    ],
    { errorFormat: pageErrors },
  );
