import { commonErrors } from '@dtplatform/errors';
import { after, listPage, notAfter, oneOf, updateIfMatch } from '@dtplatform/mongo';
import type { ClientSession, Filter, Mongo } from '@dtplatform/mongo';
import type { MailQueue } from '../mail/mail.js';
import { createChangeMembers } from '../usergroups/members.store.js';
import { createInviteLimits } from './invite-limits.store.js';
import type { InviteStatus } from './invite.js';
import type { InviteStore } from './invites.js';
import { inviteModel } from './invites.model.js';

const MAX_OWN = 200;
const REMINDERS_AT_ONCE = 100;

const isOpen = (nowMs: number): Filter => ({ _status: 'PENDING', _expiresAt: after(nowMs) });

export function createInviteStore(mongo: Mongo, mailQueue: MailQueue<ClientSession>): InviteStore {
  const invites = mongo.model(inviteModel);
  const changeMembers = createChangeMembers(mongo);
  const assertWithinLimits = createInviteLimits(mongo);

  return {
    find: async (id) => (await invites.findById(id).lean()) ?? undefined,
    findByTokenHash: async (hash) => (await invites.findOne({ _tokenHashes: hash }).lean()) ?? undefined,
    list: (_usergroupId, statuses, paging) => listPage(invites, { _usergroupId, ...inStatus(statuses) }, { paging }),
    async listTo(_orgId, emailKeys) {
      const filter: Filter = { _orgId, _emailKey: oneOf(emailKeys) };
      const paging = { offset: 0, pageSize: MAX_OWN };
      return (await listPage(invites, filter, { paging, sort: { _id: -1 } })).list;
    },
    async insertAll(groupId, added, mails) {
      if (added.length === 0) return;
      await mongo.transaction(async (session) => {
        await assertWithinLimits(groupId, added, session);
        await invites.insertMany(added, { session });
        for (const mail of mails) await mailQueue.send(session, mail);
      });
    },
    answer: (id, { status, byId, metadata }, precondition) =>
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
    listDue: () =>
      invites
        .find({ ...isOpen(Date.now()), _remindAt: notAfter(Date.now()) })
        .sort({ _remindAt: 1 })
        .limit(REMINDERS_AT_ONCE)
        .lean(),
    remind: (_id, tokenHash, mail) =>
      mongo.transaction(async (session) => {
        const due = { _id, ...isOpen(Date.now()), _remindAt: notAfter(Date.now()) };
        const update = { $unset: { _remindAt: '' }, $push: { _tokenHashes: tokenHash } };
        const { matchedCount } = await invites.updateOne(due, update, { session });
        if (matchedCount === 1) await mailQueue.send(session, mail);
        return matchedCount === 1;
      }),
    postponeReminder: async (_id, until) => void (await invites.updateOne({ _id }, { $set: { _remindAt: until } })),
    dropReminder: async (_id) => void (await invites.updateOne({ _id }, { $unset: { _remindAt: '' } })),
  };
}

/** As of now: an open invite whose time is over counts as EXPIRED. */
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
