import { z } from 'zod';
import { pageOf, pagingParameters } from '@dtplatform/http';
import { Invite, InviteAnswer, InviteParams, InviteStatus, ShownInvite } from '../../domain/invites/invite.js';
import { LINK_TOKEN } from '../../domain/invites/link-token.js';
import { nameKey } from '../../domain/scim/user.js';

const MAX_INVITES = 100;

export const CreateInvitesBody = z
  .array(z.object({ _email: Invite.shape._email, _params: InviteParams.default({}) }))
  .max(MAX_INVITES)
  .superRefine((invites, context) => {
    const seen = new Set<string>();
    for (const [index, { _email }] of invites.entries()) {
      const key = nameKey(_email);
      if (seen.has(key)) context.addIssue({ code: 'custom', path: [index, '_email'], message: 'must not be repeated' });
      seen.add(key);
    }
  });

export const ListInvitesQuery = z.object({
  ...pagingParameters(),
  /** May be repeated. */
  _status: z
    .union([InviteStatus, z.array(InviteStatus).max(InviteStatus.options.length)])
    .transform((status) => [status].flat())
    .default([]),
});

/** The id of an invite, or the token of its link. */
export const InvitePath = z.object({
  id: z.union([Invite.shape._id, z.string().regex(LINK_TOKEN)]),
});

/** Of the page: what is not the token of an invite has a page of its own. */
export const InvitePagePath = z.object({ id: z.string() });

export const ChangeInviteBody = z.object({ _status: InviteAnswer });

export const InvitePage = pageOf(ShownInvite);
export const InviteList = z.array(ShownInvite);
