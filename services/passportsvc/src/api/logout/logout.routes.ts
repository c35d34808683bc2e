import { ok, route, routes } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { messagePage, sendPage } from '../pages/page.js';

const replies = { 200: { contentType: 'text/html', description: 'A page.' } };

/** Sign-out. It ends the browser's session; tokens of apps remain valid. */
export const logoutRoutes = ({ oauthProvider }: Deps) => {
  const handler: Handler = async ({ req, res }) => {
    await oauthProvider.signOut(req, res);
    sendPage(res, 200, messagePage('Signed out', 'You are signed out.'));
    return ok(undefined);
  };
  const summary = 'Sign this browser out.';
  return routes('/logout', [
    route.get('/', { operation: 'signout.get', summary, auth: 'none', replies, handler }),
    route.post('/', { operation: 'signout.post', summary, auth: 'none', replies, handler }),
  ]);
};
