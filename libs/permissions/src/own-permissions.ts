import { z } from 'zod';
import { Metadata, pageOf, PermissionEntry, ResourceId } from '@dtplatform/contracts';
import { AppError, defineErrors } from '@dtplatform/errors';
import { ServiceCallError } from '@dtplatform/service-client';
import type { ServiceCall, ServiceClient } from '@dtplatform/service-client';

const PATH = '/objectmodelsvc/api/v1/permissions';

/** A permission as callers see it. */
export const Permission = PermissionEntry.extend({
  _id: ResourceId.describe('The id of the permission.'),
  _metadata: Metadata.omit({ _createdByName: true, _updatedByName: true }).describe(
    'When the permission was granted and last changed, and by whom.',
  ),
}).meta({ id: 'Permission', description: 'What a subject may do on some resources in one namespace.' });
export const PermissionPage = pageOf(Permission).meta({
  id: 'PermissionPage',
  description: 'A page of permissions.',
});
/** A rejected entry, with the caller's input. */
export const PermissionFailure = z
  .looseObject({
    _index: z.int().describe('The zero-based index of the entry in the request.'),
    code: z.string().describe('The error code.'),
    message: z.string().describe('What is wrong with the entry.'),
  })
  .meta({ id: 'PermissionFailure', description: 'A rejected entry as it was sent, and the reason.' });
const Written = Permission.extend({
  _status: z.int().describe('201 for a new permission, 200 if it replaced another.'),
}).meta({ id: 'WrittenPermission', description: 'A permission that was granted.' });
export const WrittenPermissions = z
  .object({
    _offset: z.int().describe('Always 0.'),
    _list: z
      .object({
        _success: z.array(Written).describe('The permissions that were granted.'),
        _failures: z.array(PermissionFailure).describe('The rejected entries.'),
      })
      .describe('The results of the entries.'),
  })
  .meta({
    id: 'WrittenPermissions',
    description: 'The permissions that were granted, and the rejected entries.',
  });

/** Why a permission is not revoked. */
export const revocationErrors = defineErrors({
  mayNotRevoke: {
    status: 403,
    message: 'The caller can revoke only actions that it holds.',
    remedy: 'Ask someone who holds these actions to revoke it.',
  },
  lastOwner: {
    status: 403,
    message: 'A namespace must keep at least one permission for * on *:*:*.',
    remedy: 'Grant `*` on `*:*:*` to someone else first.',
  },
});

/** Why a service rejects an entry that was sent to it. */
export const entryErrors = defineErrors({
  foreignResource: {
    status: 400,
    message: '_resourceDesc._irn belongs to another service.',
    remedy: 'Send the entry to the service named in its `_irn`, or to objectmodelsvc.',
  },
});

/** On whose behalf objectmodelsvc is called, and until when. */
interface Caller {
  token: string;
  signal: AbortSignal;
}

/**
 * Permissions on the resources of one service, which the service exposes itself. Calls objectmodelsvc with the caller's
 * own token and passes its errors on.
 * @param objectmodelsvc called on first use
 */
export function createOwnPermissions(service: string, objectmodelsvc: () => ServiceClient) {
  const isOwn = (irn: string) => irn.startsWith(`${service}:`);
  const call = <S extends z.ZodType>(wanted: ServiceCall, response: S): Promise<z.infer<S>> =>
    objectmodelsvc()
      .call(wanted, response)
      .catch((error: unknown) => {
        throw error instanceof ServiceCallError ? rejectionOf(error) : error;
      });

  return {
    /** Writes the entries about own resources; the others are reported as failures. */
    async put(entries: unknown[], caller: Caller): Promise<z.infer<typeof WrittenPermissions>> {
      const { own, failures } = divide(entries, isOwn);
      const body = own.map(({ entry }) => entry);
      const { _list, _offset } = await call({ ...caller, method: 'PUT', path: PATH, body }, WrittenPermissions);
      failures.push(..._list._failures.map((failure) => ({ ...failure, _index: own[failure._index]!._index })));
      const _failures = failures.toSorted((one, other) => one._index - other._index);
      return { _offset, _list: { _success: _list._success, _failures } };
    },
    list: (query: Required<ServiceCall>['query'], caller: Caller): Promise<z.infer<typeof PermissionPage>> =>
      call({ ...caller, path: PATH, query }, PermissionPage),
    /** @throws 404 for a permission on resources of another service */
    async remove(id: string, ifMatch: string | undefined, caller: Caller): Promise<void> {
      const headers = { ...(ifMatch !== undefined && { 'if-match': ifMatch }) };
      const query = { _service: service };
      await call({ ...caller, method: 'DELETE', path: `${PATH}/${id}`, query, headers }, z.unknown());
    },
  };
}

const Named = z.object({ _resourceDesc: z.object({ _irn: z.string() }) });
const FOREIGN_RESOURCE = entryErrors.foreignResource.definition;

/** Entries that name no resource go to objectmodelsvc, which describes their errors. */
function divide(entries: unknown[], isOwn: (irn: string) => boolean) {
  const own: { entry: unknown; _index: number }[] = [];
  const failures: z.infer<typeof PermissionFailure>[] = [];
  for (const [_index, entry] of entries.entries()) {
    const { success, data } = Named.safeParse(entry);
    if (!success || isOwn(data._resourceDesc._irn)) own.push({ entry, _index });
    else {
      const { code, message } = FOREIGN_RESOURCE;
      failures.push({ ...(entry as object), _index, code, message });
    }
  }
  return { own, failures };
}

const ErrorBody = z.object({
  code: z.string(),
  message: z.string(),
  errors: z.array(z.object({ location: z.string(), message: z.string() })).optional(),
});

function rejectionOf(cause: ServiceCallError): Error {
  const { success, data } = ErrorBody.safeParse(parsed(cause.body));
  if (!success) return cause;
  return new AppError({ status: cause.status, ...data }, { cause, ...(data.errors && { details: data.errors }) });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
