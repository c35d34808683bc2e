import { route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { pageErrors } from '../pages/page-errors.js';
import { pageReply } from '../pages/page.js';
import { showSignIn, submitSignIn } from './account-sign-in.handler.js';
import { changePassword, endSession, showAccount, withdrawConsent } from './account.handler.js';

const FORM = 'application/x-www-form-urlencoded';
const redirect = { contentType: 'text/html', description: 'Leads to the account page or to the sign-in page.' };
const changed = { 303: redirect, 400: pageReply };

/** The account page of the user who is signed in in a browser (docs/contract.md, "Account page"). */
export const accountPageRoutes = (deps: Deps) =>
  routes(
    '/account',
    [
      route.get('/', {
        operation: 'account.show',
        summary: 'The account page.',
        auth: 'none',
        replies: { 200: pageReply, 303: redirect },
        handler: showAccount(deps),
      }),
      route.get('/sign-in', {
        operation: 'account.showSignIn',
        summary: 'The sign-in page of the account page and of invites.',
        auth: 'none',
        replies: { 200: pageReply, 303: redirect },
        handler: showSignIn(deps),
      }),
      route.post('/sign-in', {
        operation: 'account.signIn',
        summary: 'Sign this browser in with the form fields username and password.',
        auth: 'none',
        streamedBody: FORM,
        replies: { 303: redirect, 400: pageReply, 401: pageReply, 429: pageReply },
        handler: submitSignIn(deps),
      }),
      route.post('/sessions', {
        operation: 'account.endSession',
        summary: 'End the session in the form field session, or all others.',
        auth: 'none',
        streamedBody: FORM,
        replies: changed,
        handler: endSession(deps),
      }),
      route.post('/consents', {
        operation: 'account.withdrawConsent',
        summary: 'Withdraw the consent to the application in the form field app.',
        auth: 'none',
        streamedBody: FORM,
        replies: changed,
        handler: withdrawConsent(deps),
      }),
      route.post('/password', {
        operation: 'account.changePassword',
        summary: 'Change the password with the form fields current_password, new_password and repeat_password.',
        auth: 'none',
        streamedBody: FORM,
        replies: { ...changed, 429: pageReply },
        handler: changePassword(deps),
      }),
    ],
    { errorFormat: pageErrors },
  );
