import { ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { SESSION_COOKIE_PATH } from '../../oauth/authorize/provider-settings.js';
import { messagePage } from '../../pages/message-page.js';
import { sendPage } from '../../pages/page.js';

/** GET and POST /logout: ends the browser's session. Tokens that apps have stay theirs. */
export const signOut =
  ({ oauth }: Deps): Handler =>
  async ({ req, res }) => {
    const provider = await oauth.provider();
    const context = provider.createContext(req, res);
    const session = await provider.Session.get(context);
    if (session.accountId !== undefined) await session.destroy();
    context.cookies.set(provider.cookieName('session'), null, { path: SESSION_COOKIE_PATH });
    sendPage(res, 200, messagePage('Signed out', 'You are signed out.'));
    return ok(undefined);
  };
