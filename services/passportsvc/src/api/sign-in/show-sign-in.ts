import type { ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Deps } from '../../deps.js';
import { sendPage } from '../../pages/page.js';
import { signInPage } from '../../pages/sign-in-page.js';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** Sends the sign-in page of an app, in its theme. */
export async function showSignIn(
  { apps, oauth }: Deps,
  { params, uid }: Interaction,
  res: ServerResponse,
  attempt: { status?: number; userName?: string; problem?: string } = {},
): Promise<void> {
  const app = await apps.find(String(params.client_id));
  const page = signInPage({
    appName: app?._name ?? 'your application',
    theme: app?._loginTheme,
    action: `${oauth.issuer.pathname}/signin/${uid}`,
    redirectUri: String(params.redirect_uri),
    userName: attempt.userName ?? (params.login_hint as string | undefined),
    problem: attempt.problem,
  });
  sendPage(res, attempt.status ?? 200, page);
}
