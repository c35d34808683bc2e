import { route, routes } from '@dtplatform/http';
import type { Deps } from '../../../deps.js';
import { errors } from '../../../errors.js';
import { ConsentForm } from '../../pages/forms.schemas.js';
import { pageErrors } from '../../pages/page-errors.js';
import { FORM, redirectTo } from '../../pages/page-headers.js';
import { pageReply } from '../../pages/page.js';
import { SignInParams } from '../oauth.schemas.js';
import { sendExpiredPage } from '../sign-in/send-sign-in-page.js';
import { findConsentRequest } from './find-consent-request.js';
import { sendConsentPage } from './send-consent-page.js';
import { submitConsent } from './submit-consent.handler.js';

/** The page on which users allow an app of another organization to act for them. */
export const consentPageRoutes = (deps: Deps) =>
  routes(
    '/oauth/consent',
    [
      route.get('/:uid', {
        operation: 'consent.show',
        summary: 'Show the page on which the user allows an app of another organization to act for it.',
        auth: 'none',
        params: SignInParams,
        replies: { 200: pageReply, 400: pageReply },
        handler: async ({ params, req, res }) => {
          const found = await findConsentRequest(deps, { uid: params.uid, req, res });
          return found ? sendConsentPage(deps, found, res) : sendExpiredPage(res);
        },
      }),
      route.post('/:uid', {
        operation: 'consent.submit',
        summary: 'Allow or refuse an app to act for the user.',
        description: 'A refusal is reported to the app as `access_denied`.',
        errors: [errors.invalidRequest],
        auth: 'none',
        params: SignInParams,
        streamedBody: FORM,
        shownBody: ConsentForm,
        headers: { 303: [redirectTo('The authorize endpoint, which continues from there, or the app.')] },
        replies: { 303: null, 400: pageReply },
        handler: submitConsent(deps),
      }),
    ],
    { errorFormat: pageErrors },
  );
