import type { Listing, Metadata, Paging, Precondition } from '@dtplatform/contracts';
import type { NewMail } from '../mail/mail.js';
import type { Invite, InviteAnswer, InviteStatus } from './invite.js';

export interface InviteStore {
  find(id: string): Promise<Invite | undefined>;
  findByTokenHash(hash: string): Promise<Invite | undefined>;
  /** @param statuses all if there are none; as of now (`statusOf`) */
  list(groupId: string, statuses: readonly InviteStatus[], paging: Paging): Promise<Listing<Invite>>;
  /** The newest invites of an organization's groups to one of these addresses. */
  listTo(orgId: string, emailKeys: readonly string[]): Promise<Invite[]>;
  /**
   * Stores all invites and their mails, or none.
   * @throws notFound when the group is gone; alreadyInvited, pendingInvitesLimit, invitesPerDayLimit
   */
  insertAll(groupId: string, invites: Invite[], mails: NewMail[]): Promise<void>;
  /**
   * Answers an invite that is still open. Whoever accepts becomes a member in the same transaction.
   * @returns the answered invite; undefined when it is no longer open
   * @throws notFound when the group is gone, membersLimit, groupsOfUserLimit, 412
   */
  answer(
    id: string,
    answer: { status: InviteAnswer; byId: string; metadata: Metadata },
    precondition: Precondition,
  ): Promise<Invite | undefined>;
  /** Open invites whose reminder is due. */
  listDue(): Promise<Invite[]>;
  /** Notes that the reminder of an open invite is sent, with one more link. @returns whether it was still due */
  remind(id: string, tokenHash: string, mail: NewMail): Promise<boolean>;
  /** For a reminder that failed and is tried again. @param until in milliseconds since 1970 */
  postponeReminder(id: string, until: number): Promise<void>;
  /** For a reminder that can never be sent. */
  dropReminder(id: string): Promise<void>;
}
