import type { Principal } from '@dtplatform/jwt';
import type { Logger } from '@dtplatform/logging';
import type { MailQueue } from '../../groups/mails/mails.store.js';
import { addressOf } from '../../oauth/password-reset/password-reset.js';
import type { UserStore } from '../../scim/users/users.store.js';
import type { AuditStore } from '../audit/audit.store.js';

/** What the other administrators are told by mail. */
const NOTICED: Record<string, string> = {
  'administrators.add': 'made a user an administrator',
  'administrators.remove': 'removed an administrator',
  'apps.delete': 'deleted an app',
  'apps.replaceSecret': 'replaced the secret of an app',
  'queues.discard': 'discarded messages of a queue',
  'scimServers.delete': 'deleted a SCIM server',
  'signingKeys.retire': 'removed a signing key',
  'signingKeys.rotate': 'rotated the signing keys',
  'users.delete': 'deleted a user',
  'workspaces.delete': 'deleted a workspace',
};

/** Of recipients, of ids in a mail, and of earlier calls that are read. */
const MOST = 20;
/** Bounds the mails of an administrator who changes much. Periods are fixed, so that nobody can prolong one. */
const PERIOD_MS = 10 * 60 * 1000;

/** A call, as in the audit log. */
interface Change {
  auditId: string;
  status: number;
  operation: string;
  by: Pick<Principal, 'kind' | 'id' | 'name'>;
  resourceIds: string[];
}

const isDone = (status?: number): boolean => status !== undefined && status < 300;

interface Deps {
  auditStore: Pick<AuditStore, 'list'>;
  userStore: Pick<UserStore, 'listAdministrators' | 'findMany'>;
  mailQueue: Pick<MailQueue, 'sendAlone'>;
  baseUrl: string;
  log: Logger;
}

export type NotifyAdministrators = ReturnType<typeof createNotices>;

/**
 * Mails administrators what another one has done that can do harm, and who makes whom an administrator: one mail per
 * caller, operation and period. Trusted clients may delete much. Never rejects.
 */
export function createNotices({ auditStore, userStore, mailQueue, baseUrl, log }: Deps) {
  const console = `${baseUrl}/console/administration/audit`;

  async function isRepeated({ auditId, operation, by }: Change, from: number): Promise<boolean> {
    const { list } = await auditStore.list({ operation, byId: by.id, from }, { offset: 0, pageSize: MOST });
    return list.some(({ _id, _status }) => _id !== auditId && isDone(_status));
  }

  async function send({ operation, by, resourceIds }: Change, what: string, until: number): Promise<void> {
    const [administrators, affected] = await Promise.all([
      userStore.listAdministrators({ offset: 0, pageSize: MOST }),
      operation === 'administrators.remove' ? userStore.findMany(resourceIds) : [],
    ]);
    const told = [...administrators.list, ...affected].filter(({ _id, active }) => active && _id !== by.id);
    const text = [
      `${by.name} (${by.id}) has ${what}: ${resourceIds.slice(0, MOST).join(', ')}.`,
      `See the audit log: ${console}`,
      `Until ${new Date(until).toISOString()}, further changes of this kind by the same caller are only in the audit log.`,
    ].join('\n\n');
    for (const to of new Set(told.map(addressOf)))
      if (to !== undefined) await mailQueue.sendAlone({ to, subject: `Administration: ${what}`, text });
  }

  return async (change: Change): Promise<void> => {
    const what = NOTICED[change.operation];
    if (what === undefined || !isDone(change.status)) return;
    if (change.by.kind !== 'admin' && !change.operation.startsWith('administrators.')) return;
    try {
      const from = Date.now() - (Date.now() % PERIOD_MS);
      if (!(await isRepeated(change, from))) await send(change, what, from + PERIOD_MS);
    } catch (error) {
      log.warn({ err: error, operation: change.operation }, 'the other administrators were not told');
    }
  };
}
