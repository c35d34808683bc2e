import { z } from 'zod';
import { Metadata, ResourceId } from '@dtplatform/contracts';
import { App } from '../../directory/apps/app.js';
import { Organization } from '../../directory/organizations/organizations.js';
import { MailAddress } from '../mails/mail.js';
import { GroupSummary } from '../usergroups/usergroup.js';

export const InviteStatus = z
  .enum(['PENDING', 'ACCEPTED', 'EXPIRED', 'REJECTED', 'CANCELLED'])
  .describe('Whether the invite is open, or how it ended: `EXPIRED` after 7 days without an answer.');
export type InviteStatus = z.infer<typeof InviteStatus>;

/** The statuses that callers can set; time sets the others. */
export const InviteAnswer = InviteStatus.extract(['ACCEPTED', 'REJECTED', 'CANCELLED']);
export type InviteAnswer = z.infer<typeof InviteAnswer>;

const MAX_PARAMS = 32;

export const InviteParams = z
  .record(
    z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must be a letter, then letters, digits, _ or -'),
    z.union([z.string().max(2048), z.number(), z.boolean()]),
  )
  .refine((params) => Object.keys(params).length <= MAX_PARAMS, `must have at most ${MAX_PARAMS} entries`)
  .describe(`The values of the references in the mail template, by name: at most ${MAX_PARAMS}.`);

/** An invite to a user group (docs/contract.md, "Invites"). Fields after `_metadata` are internal. */
export const Invite = z.object({
  _id: ResourceId.describe('The id of the invite: 24 hexadecimal digits.'),
  _email: MailAddress.describe('The invited email address.'),
  _params: InviteParams,
  /** The stored status: an expired invite remains PENDING (see `statusOf`). */
  _status: InviteStatus,
  _expiresAt: z.number().describe('When the invite can no longer be accepted, in milliseconds since 1970.'),
  _metadata: Metadata,
  _usergroupId: ResourceId,
  _emailKey: z.string(),
  _appId: App.shape._id,
  /** The group's organization. The addresses of its users are trusted. */
  _orgId: Organization.shape._id,
  _tokenHashes: z.array(z.string()),
  /** Due time of the reminder, in epoch milliseconds. Absent once sent. */
  _remindAt: z.number().optional(),
  _answeredById: z.string().optional(),
  _removeAt: z.date(),
  _revision: z.number().int().min(0),
});
export type Invite = z.infer<typeof Invite>;

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

/** The status at a given time: expires pending invites. */
export const statusOf = ({ _status, _expiresAt }: Invite, nowMs = Date.now()): InviteStatus =>
  _status === 'PENDING' && _expiresAt <= nowMs ? 'EXPIRED' : _status;
