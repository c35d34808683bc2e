import { commonErrors } from '@dtplatform/errors';
import { route, routes } from '@dtplatform/http';
import { errors } from '../../errors.js';
import {
  AccountQuery,
  AccountSignInForm,
  AccountSignInQuery,
  ChangePasswordForm,
  EndSessionForm,
  WithdrawConsentForm,
} from '../../pages/forms.http.js';
import { FORM, pageErrors, pageResponse, pageThat, redirectTo } from '../../pages/page.http.js';
import {
  changePassword,
  endSession,
  showAccount,
  showSignIn,
  submitSignIn,
  withdrawConsent,
} from './account.handler.js';
import type { AccountParts } from './account.handler.js';

const headers = { 303: [redirectTo('The account page, or its sign-in page.')] };
const changed = { 303: null, 400: pageResponse };

export const accountPageRoutes = (parts: AccountParts) =>
  routes(
    '/account',
    [
      route.get('/', {
        operation: 'account.show',
        summary: 'Show the account page of the signed-in user.',
        auth: 'none',
        query: AccountQuery,
        headers,
        responses: { 200: pageResponse, 303: null },
        handler: showAccount(parts),
      }),
      route.get('/sign-in', {
        operation: 'account.showSignIn',
        summary: 'Show the sign-in page of the account page and of invites.',
        auth: 'none',
        query: AccountSignInQuery,
        responses: { 200: pageResponse },
        handler: showSignIn(parts),
      }),
      route.post('/sign-in', {
        operation: 'account.signIn',
        summary: 'Sign in this browser without an app.',
        description: 'Wrong credentials show the page again.',
        errors: [errors.invalidRequest, commonErrors.tooManyRequests],
        auth: 'none',
        query: AccountSignInQuery,
        streamedBody: FORM,
        shownBody: AccountSignInForm,
        headers: { 303: [redirectTo('The account page, or the page of the invite.')] },
        responses: {
          303: null,
          400: pageResponse,
          401: pageThat('says that the user name or password is wrong, and asks again'),
        },
        handler: submitSignIn(parts),
      }),
      route.post('/sessions', {
        operation: 'account.endSession',
        summary: 'End another session of the user, or all others.',
        errors: [errors.invalidRequest],
        auth: 'none',
        streamedBody: FORM,
        shownBody: EndSessionForm,
        headers,
        responses: changed,
        handler: endSession(parts),
      }),
      route.post('/consents', {
        operation: 'account.withdrawConsent',
        summary: 'Revoke the consent to an app.',
        errors: [errors.invalidRequest],
        auth: 'none',
        streamedBody: FORM,
        shownBody: WithdrawConsentForm,
        headers,
        responses: changed,
        handler: withdrawConsent(parts),
      }),
      route.post('/password', {
        operation: 'account.changePassword',
        summary: 'Change the password, which ends all other sessions and all tokens of the user.',
        errors: [errors.invalidRequest, commonErrors.tooManyRequests],
        auth: 'none',
        streamedBody: FORM,
        shownBody: ChangePasswordForm,
        headers,
        responses: changed,
        handler: changePassword(parts),
      }),
    ],
    { errorFormat: pageErrors },
  );
