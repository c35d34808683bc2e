import { created, ok, okPage, pagingOf, revision, route, routes, wholePage } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { ShownInvite, showInvite } from '../../domain/invites/invite.js';
import { UserGroupParams } from '../usergroups/usergroups.schemas.js';
import {
  ChangeInviteBody,
  CreateInvitesBody,
  InviteList,
  InvitePage,
  InvitePath,
  ListInvitesQuery,
} from './invites.schemas.js';

/** Invites of one user group (docs/contract.md, "Invites"). */
export const groupInviteRoutes = ({ invites }: Deps) =>
  routes('/usergroups', [
    route.get('/:id/invites', {
      operation: 'invites.list',
      summary: 'The invites to a user group.',
      params: UserGroupParams,
      query: ListInvitesQuery,
      replies: { 200: InvitePage },
      handler: async ({ params, query, access }) => {
        const paging = pagingOf(query);
        return okPage(await invites.list(params.id, query._status, paging, access), paging, showInvite);
      },
    }),
    route.post('/:id/invites', {
      operation: 'invites.create',
      summary: 'Invite e-mail addresses to a user group, all or none; each gets a mail with a link.',
      params: UserGroupParams,
      body: CreateInvitesBody,
      replies: { 201: InvitePage },
      handler: async ({ params, body, access }) =>
        created(wholePage((await invites.create(params.id, body, access)).map(showInvite))),
    }),
  ]);

/** Invites as those who are invited see them. */
export const inviteRoutes = ({ invites }: Deps) =>
  routes('/invites', [
    route.get('/', {
      operation: 'invites.listOwn',
      summary: "The invites to the calling user's addresses, the newest first.",
      callers: ['user', 'admin'],
      replies: { 200: InviteList },
      handler: async ({ access }) => ok((await invites.listOwn(access)).map(showInvite)),
    }),
    route.put('/:id', {
      operation: 'invites.change',
      summary: 'Accept or reject an invite, or cancel it.',
      params: InvitePath,
      body: ChangeInviteBody,
      etag: revision,
      show: showInvite,
      replies: { 200: ShownInvite },
      handler: async ({ params, body, access, precondition }) =>
        ok(await invites.change(params.id, body._status, access, precondition)),
    }),
  ]);
