import type { Listing, Metadata, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { after, listPage, notAfter, oneOf, updateIfMatch } from '@dtplatform/mongo';
import type { Filter, Mongo } from '@dtplatform/mongo';
import type { NewMail } from '../mails/mail.js';
import type { MailQueue } from '../mails/mails.store.js';
import { createChangeMembers } from '../usergroups/members.store.js';
import { createInviteLimits } from './invite-limits.store.js';
import type { Invite, InviteAnswer, InviteStatus } from './invite.js';
import { inviteModel } from './invites.model.js';

const MAX_OWN = 200;
const REMINDERS_AT_ONCE = 100;

const isOpen = (nowMs: number): Filter => ({ _status: 'PENDING', _expiresAt: after(nowMs) });

export function createInviteStore(mongo: Mongo, mailQueue: MailQueue) {
  const invites = mongo.model(inviteModel);
  const changeMembers = createChangeMembers(mongo);
  const assertWithinLimits = createInviteLimits(mongo);

  return {
    find: async (id: string): Promise<Invite | undefined> => (await invites.findById(id).lean()) ?? undefined,
    findByTokenHash: async (hash: string): Promise<Invite | undefined> =>
      (await invites.findOne({ _tokenHashes: hash }).lean()) ?? undefined,
    /** @param statuses empty for all; evaluated as by `statusOf` */
    list: (_usergroupId: string, statuses: readonly InviteStatus[], paging: Paging): Promise<Listing<Invite>> =>
      listPage(invites, { _usergroupId, ...inStatus(statuses) }, { paging }),
    /** The newest invites to these addresses from an organization's groups. */
    async listTo(_orgId: string, emailKeys: readonly string[]): Promise<Invite[]> {
      const filter: Filter = { _orgId, _emailKey: oneOf(emailKeys) };
      const paging = { offset: 0, pageSize: MAX_OWN };
      return (await listPage(invites, filter, { paging, sort: { _id: -1 } })).list;
    },
    /**
     * Stores all invites and their mails, or none.
     * @throws notFound when the group is gone; alreadyInvited, pendingInvitesLimit, invitesPerDayLimit
     */
    async insertAll(groupId: string, added: Invite[], mails: NewMail[]): Promise<void> {
      if (added.length === 0) return;
      await mongo.transaction(async (session) => {
        await assertWithinLimits(groupId, added, session);
        await invites.insertMany(added, { session });
        for (const mail of mails) await mailQueue.send(session, mail);
      });
    },
    /**
     * Answers an open invite. Acceptance adds the member in the same transaction.
     * @returns the answered invite; undefined when it is no longer open
     * @throws notFound when the group is gone, membersLimit, groupsOfUserLimit, 412
     */
    answer: (
      id: string,
      { status, byId, metadata }: { status: InviteAnswer; byId: string; metadata: Metadata },
      precondition: Precondition,
    ): Promise<Invite | undefined> =>
      mongo.transaction(async (session) => {
        const update = {
          $set: { _status: status, _answeredById: byId, _metadata: metadata },
          $unset: { _remindAt: '' },
        };
        const filter = isOpen(Date.now());
        const invite = await updateIfMatch(invites, id, update, { precondition, session, filter });
        if (!invite || status !== 'ACCEPTED') return invite;
        const isThere = await changeMembers(session)(invite._usergroupId, { add: [byId] }, undefined);
        if (!isThere) throw commonErrors.notFound();
        return invite;
      }),
    listDue: (): Promise<Invite[]> =>
      invites
        .find({ ...isOpen(Date.now()), _remindAt: notAfter(Date.now()) })
        .sort({ _remindAt: 1 })
        .limit(REMINDERS_AT_ONCE)
        .lean(),
    /** Records and queues the reminder of an open invite, with another link. @returns whether it was still due */
    remind: (_id: string, tokenHash: string, mail: NewMail): Promise<boolean> =>
      mongo.transaction(async (session) => {
        const due = { _id, ...isOpen(Date.now()), _remindAt: notAfter(Date.now()) };
        const update = { $unset: { _remindAt: '' }, $push: { _tokenHashes: tokenHash } };
        const { matchedCount } = await invites.updateOne(due, update, { session });
        if (matchedCount === 1) await mailQueue.send(session, mail);
        return matchedCount === 1;
      }),
    /** Reschedules a failed reminder. @param until in epoch milliseconds */
    postponeReminder: async (_id: string, until: number): Promise<void> =>
      void (await invites.updateOne({ _id }, { $set: { _remindAt: until } })),
    dropReminder: async (_id: string): Promise<void> =>
      void (await invites.updateOne({ _id }, { $unset: { _remindAt: '' } })),
  };
}

export type InviteStore = ReturnType<typeof createInviteStore>;

/** Evaluates expiry at query time, as `statusOf` does. */
function inStatus(statuses: readonly InviteStatus[]): Filter {
  if (statuses.length === 0) return {};
  const nowMs = Date.now();
  const filters = statuses.flatMap((_status): Filter[] => {
    if (_status === 'PENDING') return [isOpen(nowMs)];
    if (_status === 'EXPIRED') return [{ _status: 'PENDING', _expiresAt: notAfter(nowMs) }, { _status }];
    return [{ _status }];
  });
  return { $or: filters };
}
