import { route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { errors } from '../../errors.js';
import { SignOutForm, SignOutQuery } from '../pages/forms.schemas.js';
import { pageErrors } from '../pages/page-errors.js';
import { FORM, redirectTo } from '../pages/page-headers.js';
import { pageReply } from '../pages/page.js';
import { confirmSignOut, submitSignOut } from './sign-out.handler.js';

const target = redirectTo('`post_logout_redirect_uri` of the app, or the confirmation.');

/** Sign-out (docs/contract.md, "Sign-out"). It ends the browser's session; tokens of apps remain valid. */
export const logoutRoutes = (deps: Deps) =>
  routes(
    '/logout',
    [
      route.get('/', {
        operation: 'signout.get',
        summary: 'Ask the user to confirm the sign-out.',
        description: 'Apps send the browser here. Parameters that do not fit together are ignored.',
        auth: 'none',
        query: SignOutQuery,
        headers: { 303: [target] },
        replies: { 200: pageReply, 303: null },
        handler: confirmSignOut(deps),
      }),
      route.post('/', {
        operation: 'signout.post',
        summary: 'Sign this browser out. Tokens of apps remain valid.',
        description: 'An app may also send its request here; the user is then asked to confirm.',
        errors: [errors.invalidRequest],
        auth: 'none',
        query: SignOutQuery,
        streamedBody: FORM,
        shownBody: SignOutForm,
        headers: { 303: [target] },
        replies: { 200: pageReply, 303: null, 400: pageReply },
        handler: submitSignOut(deps),
      }),
    ],
    { errorFormat: pageErrors },
  );
