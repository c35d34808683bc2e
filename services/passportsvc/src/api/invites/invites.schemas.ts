import { z } from 'zod';
import { listParameter, pageOf, pagingParameters } from '@dtplatform/http';
import { Invite, InviteAnswer, InviteParams, InviteStatus, ShownInvite } from '../../domain/invites/invite.js';
import { LINK_TOKEN } from '../../domain/invites/link-token.js';
import { comparableName } from '../../domain/scim/user.js';

const MAX_INVITES = 100;

export const CreateInvitesBody = z
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
      if (seen.has(key)) context.addIssue({ code: 'custom', path: [index, '_email'], message: 'must not be repeated' });
      seen.add(key);
    }
  });

export const ListInvitesQuery = z.object({
  ...pagingParameters(),
  _status: listParameter()
    .pipe(z.array(InviteStatus))
    .default([])
    .describe('Only invites with one of these statuses; all by default.'),
});

export const InvitePath = z.object({
  id: z
    .union([Invite.shape._id, z.string().regex(LINK_TOKEN)])
    .describe('The id of the invite, or the token of the link in its mail.'),
});

/** Of the page: what is not the token of an invite has a page of its own. */
export const InvitePagePath = z.object({ id: z.string().describe('The token of the link in the mail.') });

export const ChangeInviteBody = z
  .object({
    _status: InviteAnswer.describe(
      'The answer of the invited user, or `CANCELLED` for the one who may EDIT the group.',
    ),
  })
  .meta({ id: 'InviteAnswer', description: 'The answer to an invite.' });

export const InvitePage = pageOf(ShownInvite).meta({ id: 'InvitePage', description: 'A page of invites.' });
export const InviteList = z.array(ShownInvite);
