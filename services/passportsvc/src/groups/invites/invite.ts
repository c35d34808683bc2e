import { z } from 'zod';
import { Metadata, ResourceId } from '@dtplatform/contracts';
import { App } from '../../directory/apps/app.js';
import { Organization } from '../../directory/organizations/organizations.js';
import { MailAddress } from '../mail/mail.js';
import { GroupSummary } from '../usergroups/usergroup.js';

export const InviteStatus = z
  .enum(['PENDING', 'ACCEPTED', 'EXPIRED', 'REJECTED', 'CANCELLED'])
  .describe('Whether the invite is open, and how it ended: `EXPIRED` is one that nobody answered for 7 days.');
export type InviteStatus = z.infer<typeof InviteStatus>;

/** What callers can set. The others come with time. */
export const InviteAnswer = InviteStatus.extract(['ACCEPTED', 'REJECTED', 'CANCELLED']);
export type InviteAnswer = z.infer<typeof InviteAnswer>;

const MAX_PARAMS = 32;

/** Values of the references in the template of the mail. */
export const InviteParams = z
  .record(
    z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must be a letter, then letters, digits, _ or -'),
    z.union([z.string().max(2048), z.number(), z.boolean()]),
  )
  .refine((params) => Object.keys(params).length <= MAX_PARAMS, `must have at most ${MAX_PARAMS} entries`)
  .describe(`The values of references in the template of the mail, by their names: at most ${MAX_PARAMS}.`);

/** An invite to join a user group (docs/contract.md, "Invites"). The fields after `_metadata` are internal. */
export const Invite = z.object({
  _id: ResourceId.describe('The id of the invite: 24 hexadecimal digits.'),
  _email: MailAddress.describe('The e-mail address that is invited.'),
  _params: InviteParams,
  /** As it is stored: an open invite stays PENDING when its time is over (`statusOf`). */
  _status: InviteStatus,
  _expiresAt: z.number().describe('When the invite can no longer be accepted, in milliseconds since 1970.'),
  _metadata: Metadata,
  _usergroupId: ResourceId,
  /** The address in comparable form (`comparableName`). */
  _emailKey: z.string(),
  /** The app whose templates the mails are made of. */
  _appId: App.shape._id,
  /** The organization of the group. Addresses of its users are trusted. */
  _orgId: Organization.shape._id,
  /** Hashes of the tokens in the links of its mails. */
  _tokenHashes: z.array(z.string()),
  /** When a reminder is due, in milliseconds since 1970. Absent once it is sent. */
  _remindAt: z.number().optional(),
  /** Who accepted, rejected or cancelled it. */
  _answeredById: z.string().optional(),
  /** When the record is removed. */
  _removeAt: z.date(),
  _revision: z.number().int().min(0),
});
export type Invite = z.infer<typeof Invite>;

/** An invite with what its reader sees of the group. */
export type InviteToGroup = Invite & { _usergroup: GroupSummary };

export const toGroup = (invite: Invite, group: GroupSummary): InviteToGroup => {
  const { _id, _name, _shortName, _description, _userType } = group;
  return { ...invite, _usergroup: { _id, _name, _shortName, _description, _userType } };
};

export const ShownInvite = Invite.pick({
  _id: true,
  _email: true,
  _params: true,
  _status: true,
  _expiresAt: true,
  _metadata: true,
})
  .extend({ _usergroup: GroupSummary })
  .meta({ id: 'Invite', description: 'An invite to join a user group.' });

export function showInvite(invite: InviteToGroup): z.infer<typeof ShownInvite> {
  const { _id, _email, _params, _expiresAt, _metadata, _usergroup } = invite;
  return { _id, _email, _params, _status: statusOf(invite), _expiresAt, _metadata, _usergroup };
}

/** The status now: time passes for an open invite. */
export const statusOf = ({ _status, _expiresAt }: Invite, nowMs = Date.now()): InviteStatus =>
  _status === 'PENDING' && _expiresAt <= nowMs ? 'EXPIRED' : _status;
