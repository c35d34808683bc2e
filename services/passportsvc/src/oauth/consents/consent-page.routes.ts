import type { ServerResponse } from 'node:http';
import { route, routes } from '@dtplatform/http';
import type { Handler, RouteResponse } from '@dtplatform/http';
import { errors } from '../../errors.js';
import { consentPage } from '../../pages/consent.page.js';
import { ConsentForm, TOKEN_FIELD } from '../../pages/forms.http.js';
import type { FormTokens } from '../../pages/forms.http.js';
import { FORM, pageErrors, pageResponse, redirectTo, sendPage, sendRedirect } from '../../pages/page.http.js';
import { SIGN_OUT_PATH } from '../../pages/paths.js';
import { bodyParameters, single } from '../../requests/parameters.http.js';
import type { OpenConsent, PageRequest } from '../authorize/interactions.http.js';
import type { OAuthProvider } from '../authorize/oauth-provider.http.js';
import { SignInParams } from '../oauth-parameters.http.js';
import { sendExpiredPage } from '../signin/signin.routes.js';
import type { ConsentRequest, Consents } from './consents.js';

interface Parts {
  oauthProvider: OAuthProvider;
  consents: Consents;
  formTokens: FormTokens;
}

/** The pending consent of this browser; undefined when it has expired. */
async function findConsentRequest(
  { oauthProvider, consents }: Parts,
  page: PageRequest,
): Promise<{ open: OpenConsent; request: ConsentRequest } | undefined> {
  const open = await oauthProvider.openConsent(page);
  const request = open && (await consents.requestOf(open));
  return open && request && { open, request };
}

/** What the form's token covers: this consent in this session, and no other app or redirect URI. */
const formOf = ({ uid, sessionUid, userId, clientId, redirectUri }: OpenConsent): string[] => [
  'consent',
  uid,
  sessionUid,
  userId,
  clientId,
  redirectUri,
];

async function sendConsentPage(
  { consents, formTokens, oauthProvider }: Parts,
  { open, request, problem }: { open: OpenConsent; request: ConsentRequest; problem?: string },
  res: ServerResponse,
): Promise<RouteResponse> {
  const { _appName: appName, _orgName: orgName, _destinations } = await consents.describe(request);
  const page = consentPage({
    appName,
    orgName,
    destination: _destinations[0]!,
    userName: request.user.name,
    theme: request.app._loginTheme,
    action: `${oauthProvider.issuer.pathname}/consent/${open.uid}`,
    token: formTokens.tokenFor(formOf(open)),
    signOutUrl: SIGN_OUT_PATH,
    problem,
  });
  return sendPage(res, problem === undefined ? 200 : 400, page);
}

const PROBLEM = 'Your decision was not received. Please choose again.';

const submitConsent =
  (parts: Parts): Handler<{ params: SignInParams }> =>
  async ({ params, req, res }) => {
    const found = await findConsentRequest(parts, { uid: params.uid, req, res });
    if (!found) return sendExpiredPage(res);
    const { open, request } = found;
    const form = await bodyParameters(req);
    const isOurs = parts.formTokens.isValid(single(form, TOKEN_FIELD) ?? '', formOf(open));
    const decision = isOurs ? single(form, 'decision') : undefined;
    if (decision !== 'allow' && decision !== 'deny') return sendConsentPage(parts, { ...found, problem: PROBLEM }, res);
    if (decision === 'allow') await parts.consents.give(request);
    return sendRedirect(res, await (decision === 'allow' ? open.proceed() : open.refuse()));
  };

/** The page on which users allow an app of another organization to act for them. */
export const consentPageRoutes = (parts: Parts) =>
  routes(
    '/oauth/consent',
    [
      route.get('/:uid', {
        operation: 'consent.show',
        summary: 'Show the page on which the user allows an app of another organization to act for them.',
        auth: 'none',
        params: SignInParams,
        responses: { 200: pageResponse, 400: pageResponse },
        handler: async ({ params, req, res }) => {
          const found = await findConsentRequest(parts, { uid: params.uid, req, res });
          return found ? sendConsentPage(parts, found, res) : sendExpiredPage(res);
        },
      }),
      route.post('/:uid', {
        operation: 'consent.submit',
        summary: 'Allow or deny an app to act for the user.',
        description: 'A denial is reported to the app as `access_denied`.',
        errors: [errors.invalidRequest],
        auth: 'none',
        params: SignInParams,
        streamedBody: FORM,
        shownBody: ConsentForm,
        headers: { 303: [redirectTo('The authorize endpoint, which continues from there, or the app.')] },
        responses: { 303: null, 400: pageResponse },
        handler: submitConsent(parts),
      }),
    ],
    { errorFormat: pageErrors },
  );
