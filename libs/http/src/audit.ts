import { AppError } from '@dtplatform/errors';
import type { Principal } from '@dtplatform/jwt';
import { isRead } from './declared.js';
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
  /** Ids of created resources. */
  resourceIds: string[];
}

/** Records a call before it runs, so that none goes unrecorded, and its outcome afterwards. */
export interface AuditLog {
  begin: (call: AuditedCall) => Promise<(outcome: Outcome) => Promise<void>>;
}

/** Wraps the handler of an operation that writes. `finish` records its outcome, if it ran. */
export function auditOf(route: Route, context: RequestContext, log: AuditLog | undefined) {
  let end: Awaited<ReturnType<AuditLog['begin']>> | undefined;
  const isAudited = log !== undefined && route.auth !== 'none' && !isRead(route) && !route.reads;
  return {
    async begin(): Promise<void> {
      if (!isAudited) return;
      const resourceIds = [...stringsIn(context.params), ...idsIn(context.body)].slice(0, MAX_IDS);
      const { principal } = context.access;
      end = await log.begin({ operation: route.operation, principal, requestId: context.requestId, resourceIds });
    },
    succeed: async ({ status, body }: RouteResponse): Promise<void> =>
      end?.({ status, resourceIds: status === 201 ? createdIn(body) : [] }),
    fail: async (error: unknown): Promise<void> =>
      end?.({ status: error instanceof AppError ? error.status : 500, resourceIds: [] }),
  };
}

const MAX_IDS = 100;
const MAX_DEPTH = 4;
/** The ids that the platform generates. */
const ID = /^[0-9a-f]{24}$/;

const stringsIn = (params: unknown): string[] =>
  Object.values(params ?? {}).filter((value): value is string => typeof value === 'string');

/** In lists of ids and in fields whose name ends in `id` or `ids`: any other text could be a password. */
function idsIn(value: unknown, isNamed = Array.isArray(value), depth = 0): string[] {
  if (typeof value === 'string') return isNamed && ID.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  const isNamedPart = (name: string) => (Array.isArray(value) ? isNamed : /ids?$/i.test(name));
  return Object.entries(value).flatMap(([name, part]) => idsIn(part, isNamedPart(name), depth + 1));
}

/** The ids of the resource or the list in a response. */
function createdIn(body: unknown): string[] {
  const { _list = [body] } = (body ?? {}) as { _list?: unknown };
  if (!Array.isArray(_list)) return [];
  const ids = _list.map((entry: { _id?: unknown; id?: unknown } | undefined) => entry?._id ?? entry?.id);
  return ids.filter((id): id is string => typeof id === 'string').slice(0, MAX_IDS);
}
