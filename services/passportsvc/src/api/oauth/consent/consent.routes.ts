import { route, routes } from '@dtplatform/http';
import type { Deps } from '../../../deps.js';
import { pageErrors } from '../../pages/page-errors.js';
import { pageReply } from '../../pages/page.js';
import { SignInParams } from '../oauth.schemas.js';
import { sendExpiredPage } from '../sign-in/send-sign-in-page.js';
import { findConsentRequest } from './find-consent-request.js';
import { sendConsentPage } from './send-consent-page.js';
import { submitConsent } from './submit-consent.handler.js';

const redirect = { contentType: 'text/html', description: 'Leads back to the authorize endpoint.' };

/** The page on which users allow an app of another organization to act for them. */
export const consentPageRoutes = (deps: Deps) =>
  routes(
    '/oauth/consent',
    [
      route.get('/:uid', {
        operation: 'consent.show',
        summary: 'The consent page.',
        auth: 'none',
        params: SignInParams,
        replies: { 200: pageReply },
        handler: async ({ params, req, res }) => {
          const found = await findConsentRequest(deps, { uid: params.uid, req, res });
          return found ? sendConsentPage(deps, found, res) : sendExpiredPage(res);
        },
      }),
      route.post('/:uid', {
        operation: 'consent.submit',
        summary: 'Allow or refuse, with the form fields decision and csrf_token.',
        auth: 'none',
        params: SignInParams,
        streamedBody: 'application/x-www-form-urlencoded',
        replies: { 303: redirect, 400: pageReply },
        handler: submitConsent(deps),
      }),
    ],
    { errorFormat: pageErrors },
  );
