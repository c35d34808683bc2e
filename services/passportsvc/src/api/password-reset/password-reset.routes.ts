import { route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { pageErrors } from '../pages/page-errors.js';
import { pageReply } from '../pages/page.js';
import { completeReset, showNewPassword } from './new-password.handler.js';
import { requestReset, showRequest } from './request-reset.handler.js';

const FORM = 'application/x-www-form-urlencoded';

/** New passwords by mail (docs/contract.md, "Password reset"). */
export const passwordResetRoutes = (deps: Deps) =>
  routes(
    '/password-reset',
    [
      route.get('/', {
        operation: 'passwordReset.show',
        summary: 'The page on which users ask for a new password.',
        auth: 'none',
        replies: { 200: pageReply },
        handler: showRequest(deps),
      }),
      route.post('/', {
        operation: 'passwordReset.request',
        summary: 'Send a link to the user with the name in the form field username. The same answer for every name.',
        auth: 'none',
        streamedBody: FORM,
        replies: { 200: pageReply, 400: pageReply, 429: pageReply },
        handler: requestReset(deps),
      }),
      route.get('/new', {
        operation: 'passwordReset.open',
        summary: 'Where the link leads: the page for the new password.',
        auth: 'none',
        replies: { 200: pageReply, 410: pageReply },
        handler: showNewPassword(deps),
      }),
      route.post('/new', {
        operation: 'passwordReset.complete',
        summary: 'Set the password in the form fields new_password and repeat_password; ends sessions and tokens.',
        auth: 'none',
        streamedBody: FORM,
        replies: { 200: pageReply, 400: pageReply, 410: pageReply },
        handler: completeReset(deps),
      }),
    ],
    { errorFormat: pageErrors },
  );
