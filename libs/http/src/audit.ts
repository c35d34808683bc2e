import type { Principal } from '@dtplatform/jwt';
import { isRead } from './declared.js';
import { toAppError } from './errors.js';
import type { ErrorMapper } from './errors.js';
import type { RouteResponse } from './response.js';
import type { RequestContext, Route } from './route.js';

/** A call that writes. */
interface AuditedCall {
  operation: string;
  principal: Principal;
  requestId: string;
  /** Ids of resources in the path and the body. */
  resourceIds: string[];
}

interface Outcome {
  status: number;
  /** Ids of the resource in the response, or of created ones. */
  resourceIds: string[];
}

/**
 * Records a call before it runs, so that none goes unrecorded, and its outcome afterwards. The latter must not reject: the
 * call is over.
 */
export interface AuditLog {
  begin: (call: AuditedCall) => Promise<(outcome: Outcome) => Promise<void>>;
}

/** Whether the calls of an operation are recorded: those that write, by callers with a token. */
export const isRecorded = (route: Route): boolean => route.auth !== 'none' && !isRead(route) && !route.reads;

interface Recording {
  audit: AuditLog;
  errorMappers: ErrorMapper[];
}

/** Records a call. @param respond calls `begin` before the handler; a repeated request has no handler to run */
export async function recorded(
  route: Route,
  context: RequestContext,
  { audit, errorMappers }: Recording,
  respond: (begin: () => Promise<void>) => Promise<RouteResponse>,
): Promise<RouteResponse> {
  let end: Awaited<ReturnType<AuditLog['begin']>> | undefined;
  const begin = async (): Promise<void> => {
    const resourceIds = [...paramsOf(route, context), ...idsIn(context.body)].slice(0, MAX_IDS);
    const { principal } = context.access;
    end = await audit.begin({ operation: route.operation, principal, requestId: context.requestId, resourceIds });
  };
  try {
    const response = await respond(begin);
    await end?.({ status: response.status, resourceIds: idsOf(response.body, response.status === 201) });
    return response;
  } catch (error) {
    await end?.({ status: toAppError(error, errorMappers).status, resourceIds: [] });
    throw error;
  }
}

/** More than any list in a body has. */
const MAX_IDS = 1100;
const MAX_DEPTH = 4;
/** The ids that the platform generates. */
const ID = /^[0-9a-f]{24}$/;

const paramsOf = ({ secretParams = [] }: Route, { params }: RequestContext): string[] =>
  Object.entries(params ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && !secretParams.includes(name) ? [value] : [],
  );

/** In lists of ids and in fields whose name ends in `id` or `ids`: any other text could be a password. */
function idsIn(value: unknown, isNamed = Array.isArray(value), depth = 0): string[] {
  if (typeof value === 'string') return isNamed && ID.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  const isNamedPart = (name: string) => (Array.isArray(value) ? isNamed : /ids?$/i.test(name));
  return Object.entries(value).flatMap(([name, part]) => idsIn(part, isNamedPart(name), depth + 1));
}

/** The id of the resource in a response, or those of a list of created resources. */
function idsOf(body: unknown, isCreated: boolean): string[] {
  const { _list } = (body ?? {}) as { _list?: unknown };
  const entries: unknown[] = Array.isArray(_list) ? (isCreated ? _list : []) : [body];
  const ids = entries.map((entry) => {
    const { _id, id = _id } = (entry ?? {}) as { _id?: unknown; id?: unknown };
    return id;
  });
  return ids.filter((id): id is string => typeof id === 'string').slice(0, MAX_IDS);
}
