import { z } from 'zod';
import { CloseReply, GrantsReply, MAX_PERMISSION_ENTRIES, NamespacesReply } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';
import type { GrantSource } from './grant-source.js';

const PATH = '/objectmodelsvc/api/v1/permissions';
/** May be repeated. A POST, because the parameters do not fit into a URL. */
const repeatable = { method: 'POST', idempotent: true } as const;
const PutReply = z.object({ _list: z.object({ _failures: z.array(z.object({ code: z.string() })) }) });

/** Grants from objectmodelsvc. The service client must be a trusted client. */
export function remoteGrants(objectmodelsvc: ServiceClient): GrantSource {
  return {
    async grantsOf(subject, namespace) {
      const body = { _user: subject, _namespace: namespace };
      const call = { ...repeatable, path: `${PATH}/grants`, body };
      const reply = await objectmodelsvc.call(call, GrantsReply).catch(nothingIfInvalid);
      return [...reply._list, ...(reply._limited ?? [])];
    },
    async namespacesOf(subject) {
      const body = { _user: subject };
      return (await objectmodelsvc.call({ ...repeatable, path: `${PATH}/namespaces`, body }, NamespacesReply))._list;
    },
    async close(_namespaces) {
      await objectmodelsvc.call({ ...repeatable, path: `${PATH}/close`, body: { _namespaces } }, CloseReply);
    },
    async grant(entries) {
      for (let start = 0; start < entries.length; start += MAX_PERMISSION_ENTRIES) {
        const body = entries.slice(start, start + MAX_PERMISSION_ENTRIES);
        const reply = await objectmodelsvc
          .call({ method: 'PUT', path: PATH, body }, PutReply)
          .catch((error: unknown) => {
            throw isFinal(error) ? commonErrors.forbidden({ cause: error }) : error;
          });
        const [failure] = reply._list._failures;
        if (failure)
          throw commonErrors.forbidden({ cause: new Error(`objectmodelsvc refused a grant: ${failure.code}`) });
      }
    },
    async removeUser(id) {
      await objectmodelsvc.call({ method: 'DELETE', path: `${PATH}/users/${encodeURIComponent(id)}` }, z.unknown());
    },
    async removeApp(id) {
      await objectmodelsvc.call({ method: 'DELETE', path: `${PATH}/apps/${encodeURIComponent(id)}` }, z.unknown());
    },
    async removeProfile(id, _namespaces) {
      const path = `${PATH}/permissionprofiles/${id}`;
      await objectmodelsvc.call({ method: 'DELETE', path, body: { _namespaces } }, z.unknown());
    },
    async putGroup(id, members) {
      await objectmodelsvc.call({ method: 'PUT', path: `${PATH}/usergroups/${id}`, body: members }, z.unknown());
    },
  };
}

/** A 401 is about this service, and may pass. */
const isFinal = (error: unknown) => error instanceof ServiceCallError && error.status !== 401;

/** In a namespace that cannot exist, nobody holds anything. */
function nothingIfInvalid(error: unknown): z.infer<typeof GrantsReply> {
  if (error instanceof ServiceCallError && error.status === 400) return { _list: [] };
  throw error;
}
