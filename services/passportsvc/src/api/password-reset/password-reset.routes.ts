import { commonErrors } from '@dtplatform/errors';
import { route, routes } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { errors } from '../../errors.js';
import { NewPasswordForm, ResetLinkQuery, ResetRequestForm } from '../pages/forms.schemas.js';
import { pageErrors } from '../pages/page-errors.js';
import { FORM } from '../pages/page-headers.js';
import { pageReply, pageThat } from '../pages/page.js';
import { completeReset, showNewPassword } from './new-password.handler.js';
import { requestReset, showRequest } from './request-reset.handler.js';

const gone = pageThat('says that the link was used, has expired or never existed');

/** New passwords by mail (docs/contract.md, "Password reset"). */
export const passwordResetRoutes = (deps: Deps) =>
  routes(
    '/password-reset',
    [
      route.get('/', {
        operation: 'passwordReset.show',
        summary: 'Show the page on which users ask for a new password.',
        auth: 'none',
        replies: { 200: pageReply },
        handler: showRequest(deps),
      }),
      route.post('/', {
        operation: 'passwordReset.request',
        summary: 'Send a user the link for a new password by mail.',
        description: 'The answer is the same for every name. At most 3 mails in an hour go to one user.',
        errors: [errors.invalidRequest, commonErrors.tooManyRequests],
        auth: 'none',
        streamedBody: FORM,
        shownBody: ResetRequestForm,
        replies: { 200: pageReply, 400: pageReply },
        handler: requestReset(deps),
      }),
      route.get('/new', {
        operation: 'passwordReset.open',
        summary: 'Show the page behind the link, on which the user sets the new password. The link remains valid.',
        auth: 'none',
        query: ResetLinkQuery,
        replies: { 200: pageReply, 410: gone },
        handler: showNewPassword(deps),
      }),
      route.post('/new', {
        operation: 'passwordReset.complete',
        summary: 'Set the new password, which ends all sessions and tokens of the user.',
        description: 'The link works once, for 30 minutes.',
        errors: [errors.invalidRequest, commonErrors.tooManyRequests],
        auth: 'none',
        streamedBody: FORM,
        shownBody: NewPasswordForm,
        replies: { 200: pageReply, 400: pageReply, 410: gone },
        handler: completeReset(deps),
      }),
    ],
    { errorFormat: pageErrors },
  );
