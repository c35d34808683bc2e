import { route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { pageErrors } from '../pages/page-errors.js';
import { pageReply } from '../pages/page.js';
import { confirmSignOut, submitSignOut } from './sign-out.handler.js';

const redirect = { contentType: 'text/html', description: 'Leads to post_logout_redirect_uri.' };

/** Sign-out (docs/contract.md, "Sign-out"). It ends the browser's session; tokens of apps remain valid. */
export const logoutRoutes = (deps: Deps) =>
  routes(
    '/logout',
    [
      route.get('/', {
        operation: 'signout.get',
        summary: 'Ask the user to confirm the sign-out.',
        auth: 'none',
        replies: { 200: pageReply, 303: redirect },
        handler: confirmSignOut(deps),
      }),
      route.post('/', {
        operation: 'signout.post',
        summary: 'Sign this browser out, with the form field csrf_token of the confirmation.',
        auth: 'none',
        streamedBody: 'application/x-www-form-urlencoded',
        replies: { 200: pageReply, 303: redirect, 400: pageReply },
        handler: submitSignOut(deps),
      }),
    ],
    { errorFormat: pageErrors },
  );
