import type { Listing, Paging } from '@dtplatform/contracts';
import type { Logger } from '@dtplatform/logging';
import type { Access } from '@dtplatform/permissions';
import type { FindUser } from '../../oauth/token/known.js';
import type { User } from '../../scim/users/user.js';
import type { NotifyAdministrators } from '../administrators/notices.js';
import type { App } from '../apps/app.js';
import type { Apps } from '../apps/apps.js';
import { NOBODY } from './audit-entry.js';
import type { AuditEntry, AuditFilter } from './audit-entry.js';
import type { AuditStore } from './audit.store.js';

interface Deps {
  auditStore: AuditStore;
  apps: Pick<Apps, 'organizationOf'>;
  findApp: (id: string) => Promise<App | undefined>;
  findUser: FindUser;
  notifyAdministrators: NotifyAdministrators;
  log: Logger;
}

/** A call that writes. */
interface Call {
  operation: string;
  principal: Access['principal'];
  requestId: string;
  /** Of resources that the call names. */
  resourceIds: string[];
}

interface Outcome {
  status: number;
  /** Of resources that the call created. */
  resourceIds: string[];
}

/** `signIn`, or what a page of the account does. */
export type AccountOperation = 'signIn' | 'account.changePassword' | 'passwordReset.complete';
type AuditedUser = Pick<User, '_id' | 'userName' | '_orgId'>;
interface AccountOutcome {
  isDone: boolean;
  /** Of the client, if known. */
  address?: string;
}

export type Audit = ReturnType<typeof createAudit>;

/** Who changed what, and who signed in. */
export function createAudit({ auditStore, apps, findApp, findUser, notifyAdministrators, log }: Deps) {
  const finish = (id: string, status: number, resourceIds: string[]) =>
    auditStore.finish(id, status, resourceIds).catch((error: unknown) => {
      log.warn({ err: error, auditEntry: id, status }, 'the outcome of a call is missing in the audit log');
    });

  const organizationOf = async ({ kind, id, appId }: Access['principal']) =>
    (kind === 'user' || kind === 'admin' ? await findUser(id) : undefined)?.orgId ?? (await findApp(appId))?._orgId;

  return {
    calls: {
      /** @throws while entries cannot be stored: the call then changes nothing */
      async begin({ operation, principal, requestId, resourceIds }: Call) {
        const id = await auditStore.insert({
          _operation: operation,
          _byId: principal.id,
          _byName: principal.name.slice(0, MAX_NAME_LENGTH),
          _actorId: principal.actorId,
          _appId: principal.appId,
          _orgId: await organizationOf(principal),
          _resourceIds: resourceIds,
          _requestId: requestId,
        });
        return async (outcome: Outcome) => {
          await finish(id, outcome.status, outcome.resourceIds);
          await notifyAdministrators({ auditId: id, status: outcome.status, operation, by: principal, resourceIds });
        };
      },
    },

    /** Records what somebody did with a password or a link, without a token. @param user undefined if unknown */
    async ofAccount(
      operation: AccountOperation,
      user: AuditedUser | undefined,
      outcome: AccountOutcome,
    ): Promise<void> {
      await auditStore.insert({
        _operation: operation,
        _byId: user?._id ?? NOBODY,
        _byName: user?.userName.slice(0, MAX_NAME_LENGTH),
        _orgId: user?._orgId,
        _address: outcome.address,
        _resourceIds: [],
        _status: outcome.isDone ? 200 : 401,
      });
    },

    /** Newest first. Apps see the entries of their organization. */
    async list(filter: AuditFilter, paging: Paging, access: Access): Promise<Listing<AuditEntry>> {
      const orgId = access.principal.kind === 'app' ? await apps.organizationOf(access) : filter.orgId;
      return auditStore.list({ ...filter, orgId }, paging);
    },
  };
}

const MAX_NAME_LENGTH = 256;
