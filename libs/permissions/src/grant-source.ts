import { z } from 'zod';
import { CloseResponse, GrantsResponse, MAX_PERMISSION_ENTRIES, NamespacesResponse } from '@dtplatform/contracts';
import type { Grant, GroupMembers, PermissionEntry, Subject } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceClient } from '@dtplatform/service-client';

/** Where grants are stored: objectmodelsvc reads its own database, all other services call objectmodelsvc. */
export interface GrantSource {
  /** All grants of a subject in a namespace, including those of its groups. */
  grantsOf(subject: Subject, namespace: string): Promise<Grant[]>;
  /** The namespaces in which a subject or one of its groups has any grant. */
  namespacesOf(subject: Subject): Promise<string[]>;
  /** Writes permissions on behalf of the platform. Effective once the promise resolves. */
  grant(entries: PermissionEntry[]): Promise<void>;
  /** Replaces a group's members. Effective once the promise resolves. */
  putGroup(id: string, members: GroupMembers): Promise<void>;
  /**
   * Removes the permissions of a deleted user, except where it is the last holder of `*` on `*:*:*` in a namespace.
   * Idempotent.
   */
  removeUser(id: string): Promise<void>;
  /** `removeUser` for an app. */
  removeApp(id: string): Promise<void>;
  /**
   * Removes the permissions of a deleted permission profile, as `removeUser` does, and everybody's permissions on it in
   * its namespaces. Idempotent.
   */
  removeProfile(id: string, namespaces: string[]): Promise<void>;
  /** Ends all permissions in namespaces permanently. Effective once the promise resolves. Idempotent. */
  close(namespaces: string[]): Promise<void>;
}

const PATH = '/objectmodelsvc/api/v1/permissions';
/** A POST only because the parameters do not fit into a URL. */
const repeatable = { method: 'POST', idempotent: true } as const;
const PutResponse = z.object({ _list: z.object({ _failures: z.array(z.object({ code: z.string() })) }) });

/** Grants from objectmodelsvc. The service client must be a trusted client. */
export function remoteGrants(objectmodelsvc: ServiceClient): GrantSource {
  return {
    async grantsOf(subject, namespace) {
      const body = { _user: subject, _namespace: namespace };
      const call = { ...repeatable, path: `${PATH}/grants`, body };
      const response = await objectmodelsvc.call(call, GrantsResponse).catch(nothingIfInvalid);
      return [...response._list, ...(response._limited ?? [])];
    },
    async namespacesOf(subject) {
      const body = { _user: subject };
      return (await objectmodelsvc.call({ ...repeatable, path: `${PATH}/namespaces`, body }, NamespacesResponse))._list;
    },
    async close(_namespaces) {
      await objectmodelsvc.call({ ...repeatable, path: `${PATH}/close`, body: { _namespaces } }, CloseResponse);
    },
    async grant(entries) {
      for (let start = 0; start < entries.length; start += MAX_PERMISSION_ENTRIES) {
        const body = entries.slice(start, start + MAX_PERMISSION_ENTRIES);
        const response = await objectmodelsvc
          .call({ method: 'PUT', path: PATH, body }, PutResponse)
          .catch((error: unknown) => {
            throw isFinal(error) ? commonErrors.forbidden({ cause: error }) : error;
          });
        const [failure] = response._list._failures;
        if (failure)
          throw commonErrors.forbidden({ cause: new Error(`objectmodelsvc rejected a grant: ${failure.code}`) });
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

/** A 401 concerns this service and may be temporary. */
const isFinal = (error: unknown) => error instanceof ServiceCallError && error.status !== 401;

/** A namespace with an invalid name cannot exist, so there are no grants in it. */
function nothingIfInvalid(error: unknown): z.infer<typeof GrantsResponse> {
  if (error instanceof ServiceCallError && error.status === 400) return { _list: [] };
  throw error;
}
