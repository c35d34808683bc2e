import { z } from 'zod';
import {
  created,
  documents,
  listParameter,
  ok,
  okPage,
  pageOf,
  pagingOf,
  pagingParameters,
  revision,
  route,
  routes,
  wholePage,
} from '@dtplatform/http';
import { errors } from '../../errors.js';
import { InviteAnswerForm } from '../../pages/forms.http.js';
import { FORM, pageErrors, pageResponse, pageThat, redirectTo } from '../../pages/page.http.js';
import { comparableName } from '../../scim/users/user.js';
import { UserGroupParams } from '../usergroups/usergroups.routes.js';
import { answerInvite, showInvitePage } from './invite-page.handler.js';
import type { InviteParts } from './invite-page.handler.js';
import { Invite, InviteAnswer, InviteParams, InviteStatus, showInvite, ShownInvite } from './invite.js';
import type { Invites } from './invites.js';
import { LINK_TOKEN } from './opened-invite.js';

const MAX_INVITES = 100;

const CreateInvitesBody = z
  .array(
    z
      .object({ _email: Invite.shape._email, _params: InviteParams.default({}) })
      .meta({ id: 'NewInvite', description: 'An address to invite.' }),
  )
  .max(MAX_INVITES)
  .superRefine((invites, context) => {
    const seen = new Set<string>();
    for (const [index, { _email }] of invites.entries()) {
      const key = comparableName(_email);
      if (seen.has(key)) context.addIssue({ code: 'custom', path: [index, '_email'], message: 'must be unique' });
      seen.add(key);
    }
  });

const ListInvitesQuery = z.object({
  ...pagingParameters(),
  _status: listParameter()
    .pipe(z.array(InviteStatus))
    .default([])
    .describe('Only invites with one of these statuses; all by default.'),
});

const InvitePath = z.object({
  id: z
    .union([Invite.shape._id, z.string().regex(LINK_TOKEN)])
    .describe('The id of the invite, or the token from the link in its mail.'),
});

/** Accepts any string: an invalid token gets a page, not a validation error. */
const InvitePagePath = z.object({ id: z.string().describe('The token from the link in the mail.') });

const ChangeInviteBody = z
  .object({
    _status: InviteAnswer.describe(
      'The answer of the invited user, or `CANCELLED` from a caller with EDIT on the group.',
    ),
  })
  .meta({ id: 'InviteAnswer', description: 'The answer to an invite.' });

const InvitePage = pageOf(ShownInvite).meta({ id: 'InvitePage', description: 'A page of invites.' });
const InviteList = z.array(ShownInvite);

export const groupInviteRoutes = ({ invites }: { invites: Invites }) =>
  routes('/usergroups', [
    route.get('/:id/invites', {
      operation: 'invites.list',
      summary: 'List the invites to a user group.',
      needs: documents({ rule: 'resource', action: 'READ', resource: 'passportsvc:usergroup' }),
      params: UserGroupParams,
      query: ListInvitesQuery,
      responses: { 200: InvitePage },
      handler: async ({ params, query, access }) => {
        const paging = pagingOf(query);
        return okPage(await invites.list(params.id, query._status, paging, access), paging, showInvite);
      },
    }),
    route.post('/:id/invites', {
      operation: 'invites.create',
      summary: 'Invite email addresses to a user group, all or none. Each receives an email with a link.',
      description: 'The mail uses the template `USER_GROUP_INVITE` of the app.',
      errors: [errors.alreadyInvited, errors.pendingInvitesLimit, errors.invitesPerDayLimit, errors.renderedTooLarge],
      needs: documents({ rule: 'resource', action: 'EDIT', resource: 'passportsvc:usergroup' }),
      params: UserGroupParams,
      body: CreateInvitesBody,
      responses: { 201: InvitePage },
      again: async (id, { params, access }) => showInvite(await invites.get(params.id, id, access)),
      handler: async ({ params, body, access }) =>
        created(wholePage((await invites.create(params.id, body, access)).map(showInvite))),
    }),
  ]);

const unanswerable = {
  403: pageThat('says that the invite is for another address'),
  404: pageThat('says that the invite does not exist'),
  410: pageThat('says that the invite has expired, or was answered or cancelled'),
};

export const inviteRoutes = (parts: InviteParts) => {
  const { invites } = parts;
  return routes('/invites', [
    route.get('/', {
      operation: 'invites.listOwn',
      summary:
        "List the invites to the calling user's addresses from groups of their organization, newest first, at most 200.",
      needs: documents({ rule: 'own' }),
      callers: ['user', 'admin'],
      responses: { 200: InviteList },
      handler: async ({ access }) => ok((await invites.listOwn(access)).map(showInvite)),
    }),
    route.put('/:id', {
      operation: 'invites.change',
      summary: 'Accept or reject an invite, or cancel it.',
      description:
        'The invited user accepts or rejects; callers with EDIT on the group can cancel. With the token from the link, users of other organizations can answer, too.',
      errors: [errors.inviteOfAnother, errors.inviteClosed, errors.membersLimit, errors.groupsOfUserLimit],
      needs: documents({ rule: 'resource', action: 'EDIT', resource: 'passportsvc:usergroup' }),
      params: InvitePath,
      secretParams: ['id'],
      body: ChangeInviteBody,
      etag: revision,
      show: showInvite,
      responses: { 200: ShownInvite },
      ifMatch: true,
      handler: async ({ params, body, access, precondition }) =>
        ok(await invites.change(params.id, body._status, access, precondition)),
    }),
    route.get('/:id', {
      operation: 'invites.openPage',
      summary: 'Show the page of an invite link, on which the invited user accepts or declines.',
      auth: 'none',
      params: InvitePagePath,
      responses: { 200: pageResponse, ...unanswerable },
      errorFormat: pageErrors,
      handler: showInvitePage(parts),
    }),
    route.post('/:id', {
      operation: 'invites.answerOnPage',
      summary: 'Accept or decline an invite as the signed-in user.',
      errors: [errors.invalidRequest],
      auth: 'none',
      params: InvitePagePath,
      streamedBody: FORM,
      shownBody: InviteAnswerForm,
      headers: { 303: [redirectTo('The page of the invite, or the sign-in page.')] },
      responses: { 303: null, 400: pageResponse, ...unanswerable },
      errorFormat: pageErrors,
      handler: answerInvite(parts),
    }),
  ]);
};
