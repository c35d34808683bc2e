import { type DescribedOperation, needsToken, operations } from '../support/openapi.js';
import { type RouteResponse, send } from '../support/platform.js';
import { hasId } from './expected.js';
import { type Call, callOf } from './requests.js';
import type { Tenant } from './tenant.js';

export const accepts = ({ 'x-callers': callers }: DescribedOperation, kind: string): boolean =>
  !callers || callers.includes(kind);
export const isRead = ({ method }: { method: string }): boolean => ['GET', 'HEAD', 'OPTIONS'].includes(method);

export const response = ({ method, path, request }: Call, token: string | undefined): Promise<RouteResponse> =>
  send(method, path, { ...request, token });
export const textOf = ({ body }: Pick<RouteResponse, 'body'>): string =>
  typeof body === 'string' ? body : JSON.stringify(body);

/** A response in comparable form: all bytes except the id of the request. */
export const comparable = ({ status, headers, body }: RouteResponse) => ({
  status,
  type: headers.get('content-type'),
  length: headers.get('content-length'),
  etag: headers.get('etag'),
  // Signed URLs contain the time of the request.
  body: textOf({ body }).replace(/"requestId":"[^"]*"|X-Amz-(Date|Signature)=\w+/g, ''),
});

const readable = operations.filter(
  (each) => needsToken(each) && each.method === 'GET' && hasId(each) && accepts(each, 'user'),
);

/** The ids of everything of a tenant, as its owner sees it. */
export const everythingOf = (tenant: Tenant): Promise<string[]> =>
  Promise.all(
    readable.map(
      async (each) =>
        `${each.operationId}: ${comparable(await response(callOf(each, tenant), tenant.person.token)).body}`,
    ),
  );

/** Whether a text contains anything of the tenant that was not in the request. */
export function showsTenant(whole: string, tenant: Tenant, sent: string): boolean {
  // All users of an application have the same templates.
  const { notification_templates: _shared, ...ids } = tenant.ids;
  const names = [tenant.namespace, tenant.person.email, ...Object.values(ids)];
  const isSent = (name: string) => sent.includes(name);
  const text = names.filter(isSent).reduce((before, name) => before.replaceAll(name, ''), whole);
  return [tenant.mark, ...names.filter((name) => !isSent(name))].some((name) => text.includes(name));
}
