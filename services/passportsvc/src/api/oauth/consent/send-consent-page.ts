import type { ServerResponse } from 'node:http';
import type { Reply } from '@dtplatform/http';
import type { Deps } from '../../../deps.js';
import type { ConsentRequest } from '../../../domain/consents/consents.js';
import { consentPage } from '../../pages/consent-page.js';
import { sendPage } from '../../pages/page.js';
import { SIGN_OUT_PATH } from '../../pages/paths.js';
import type { OpenConsent } from '../provider/open-consent.js';

/** What the form's token stands for: this question in this session, and no other app or redirect URI. */
export const formOf = ({ uid, sessionUid, userId, clientId, redirectUri }: OpenConsent): string[] => [
  'consent',
  uid,
  sessionUid,
  userId,
  clientId,
  redirectUri,
];

/** Sends the consent page of an app, in the app's theme. */
export async function sendConsentPage(
  { consents, formTokens, oauthProvider }: Deps,
  { open, request, problem }: { open: OpenConsent; request: ConsentRequest; problem?: string },
  res: ServerResponse,
): Promise<Reply> {
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
