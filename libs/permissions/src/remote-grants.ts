import { z } from 'zod';
import { CloseReply, GrantsReply, MAX_PERMISSION_ENTRIES, NamespacesReply } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { ServiceClient } from '@dtplatform/service-client';
import type { GrantSource } from './grant-source.js';

const PATH = '/objectmodelsvc/api/v1/permissions';
/** A POST, because the parameters do not fit into a URL, that may be repeated. */
const query = { method: 'POST', idempotent: true } as const;
const PutReply = z.object({ _list: z.object({ _failures: z.array(z.unknown()) }) });

/** Grants from objectmodelsvc. The service client must be a trusted client. */
export function remoteGrants(objectmodelsvc: ServiceClient): GrantSource {
  return {
    async grantsOf(subject, namespace) {
      const body = { _user: subject, _namespace: namespace };
      return (await objectmodelsvc.call({ ...query, path: `${PATH}/grants`, body }, GrantsReply))._list;
    },
    async namespacesOf(subject) {
      const body = { _user: subject };
      return (await objectmodelsvc.call({ ...query, path: `${PATH}/namespaces`, body }, NamespacesReply))._list;
    },
    async close(_namespaces) {
      await objectmodelsvc.call({ ...query, path: `${PATH}/close`, body: { _namespaces } }, CloseReply);
    },
    async grant(entries) {
      for (let start = 0; start < entries.length; start += MAX_PERMISSION_ENTRIES) {
        const body = entries.slice(start, start + MAX_PERMISSION_ENTRIES);
        const reply = await objectmodelsvc.call({ method: 'PUT', path: PATH, body }, PutReply);
        if (reply._list._failures.length > 0)
          throw commonErrors.unavailable({ cause: new Error('objectmodelsvc refused a grant') });
      }
    },
    async putGroup(id, members) {
      await objectmodelsvc.call({ method: 'PUT', path: `${PATH}/usergroups/${id}`, body: members }, z.unknown());
    },
  };
}
