import { commonErrors } from '@dtplatform/errors';
import { permissionNeeded } from '@dtplatform/permissions';
import type { Access } from '@dtplatform/permissions';
import { parseBody, parseInput, readBody, rejectEncoded, rejectLongArrays } from './input.js';
import { namesOf, takesPreferences } from './known-names.js';
import type { RequestShares } from './request-memory.js';
import type { RequestContext, Route } from './route.js';
import { reportUnknown } from './unknown-names.js';

const DEFAULT_MAX_BODY_BYTES = 1024 * 1024;
/** Shorter bodies need no reservation. */
const SMALL_BYTES = 64 * 1024;

/**
 * Rejects, before the body is read, a caller without any permission in the namespace or on the named resource.
 * Unusually large bodies are read only for callers who have what the route needs.
 * @throws 403 for a call that creates; otherwise as for a resource that the caller may not read
 */
export async function admitBody(route: Route, context: RequestContext, access: Access): Promise<void> {
  const { nsfilter } = (context.query ?? {}) as { nsfilter?: string };
  const holdsNothing = nsfilter !== undefined && !(await holdsAny(access, nsfilter));
  if (!holdsNothing && !mayBeLarge(route, context)) return;
  if (route.needs?.beforeBody) await route.needs.beforeBody(context);
  else if (holdsNothing) throw isCreation(route) ? permissionNeeded(route.needs?.declares) : commonErrors.notFound();
}

const isCreation = ({ method, params }: Route) => method === 'post' && !params;

async function holdsAny(access: Access, namespace: string): Promise<boolean> {
  const namespaces = await access.namespaces();
  return namespaces === 'all' || namespaces.includes(namespace);
}

const maxBytesOf = ({ maxBodyBytes = DEFAULT_MAX_BODY_BYTES }: Route) => maxBodyBytes;

const mayBeLarge = (route: Route, { req }: RequestContext) =>
  maxBytesOf(route) > DEFAULT_MAX_BODY_BYTES && expectedBytes(route, req) > DEFAULT_MAX_BODY_BYTES;

/** The length of a body; its maximum if the request does not state it. */
function expectedBytes(route: Route, { headers }: RequestContext['req']): number {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length);
  return headers['transfer-encoding'] === undefined ? 0 : maxBytesOf(route);
}

/**
 * Reads, parses and validates a JSON body. Large bodies wait for a share of the process's memory.
 * @throws 400, 408, 413, 415; 503 when the wait takes too long
 */
export async function readJson(route: Route, context: RequestContext, shares: RequestShares): Promise<void> {
  const { req } = context;
  const expected = expectedBytes(route, req);
  if (!route.ignoreContentEncoding) rejectEncoded(req);
  if (expected > maxBytesOf(route)) throw commonErrors.payloadTooLarge({ maxBytes: maxBytesOf(route) });
  if (expected > SMALL_BYTES) return readLarge(route, context, shares, expected);
  const bytes = await readBody(req, maxBytesOf(route));
  context.bodyBytes = bytes.length;
  context.body = validated(route, context, parseBody(bytes, route.parse));
}

function validated(route: Route, context: RequestContext, value: unknown): unknown {
  if (takesPreferences(route)) reportUnknown(context, namesOf(route).body, value, 'body');
  return parseInput(route.body!, value, 'body');
}

async function readLarge(
  route: Route,
  context: RequestContext,
  shares: RequestShares,
  expected: number,
): Promise<void> {
  const receiving = await shares.receive(expected);
  try {
    const bytes = await readBody(context.req, maxBytesOf(route));
    context.bodyBytes = bytes.length;
    await shares.parse(bytes.length);
    const value = parseBody(bytes, route.parse);
    rejectLongArrays(route.body!, value);
    context.body = validated(route, context, value);
  } finally {
    receiving.release();
  }
}
