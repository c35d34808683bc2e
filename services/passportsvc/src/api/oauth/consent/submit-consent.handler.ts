import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../../deps.js';
import { TOKEN_FIELD } from '../../pages/form-tokens.js';
import { sendRedirect } from '../../pages/page.js';
import { bodyParameters, single } from '../../parameters.js';
import type { SignInParams } from '../oauth.schemas.js';
import { sendExpiredPage } from '../sign-in/send-sign-in-page.js';
import { findConsentRequest } from './find-consent-request.js';
import { formOf, sendConsentPage } from './send-consent-page.js';

const PROBLEM = 'Your decision could not be read. Please decide again.';

/** POST /oauth/consent/{uid}: keeps the consent and continues the authorization, or reports the refusal to the app. */
export const submitConsent =
  (deps: Deps): Handler<{ params: SignInParams }> =>
  async ({ params, req, res }) => {
    const found = await findConsentRequest(deps, { uid: params.uid, req, res });
    if (!found) return sendExpiredPage(res);
    const { open, request } = found;
    const form = await bodyParameters(req);
    const isOurs = deps.formTokens.isValid(single(form, TOKEN_FIELD) ?? '', formOf(open));
    const decision = isOurs ? single(form, 'decision') : undefined;
    if (decision !== 'allow' && decision !== 'deny') return sendConsentPage(deps, { ...found, problem: PROBLEM }, res);
    if (decision === 'allow') await deps.consents.give(request);
    return sendRedirect(res, await (decision === 'allow' ? open.proceed() : open.refuse()));
  };
