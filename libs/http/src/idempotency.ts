import { createHash, createHmac } from 'node:crypto';
import { AppError, commonErrors } from '@dtplatform/errors';
import { IDEMPOTENCY_KEY } from './headers.js';
import type { RouteResponse } from './response.js';
import type { RequestContext, Route } from './route.js';

/** The exclusive use of a key by its first request. */
interface Claim {
  /**
   * Runs the request and stores its response in the same commit as its writes. If it fails without having written, the
   * key is free again.
   */
  run(
    work: () => Promise<RouteResponse>,
    responses: { keep: (response: RouteResponse) => KeptResponse; early: (written: unknown) => KeptResponse },
  ): Promise<RouteResponse>;
}

/** Stores the first response per key. */
interface IdempotencyStore {
  /**
   * Claims the key, or returns the state of the request that claimed it first.
   * @param fingerprint equal for requests with equal input
   */
  begin(id: string, fingerprint: string): Promise<Claim | 'running' | { fingerprint: string; reply: KeptResponse }>;
}

export interface Idempotency {
  store: IdempotencyStore;
  /** Shared by all processes of the service. Prevents guessing a password from a stored fingerprint. */
  secret: string;
}

interface Request {
  run: () => Promise<RouteResponse>;
  /** The response for a request whose writes were committed early. */
  early: (written: unknown) => RouteResponse;
  /** The response as callers see it. */
  present: (response: RouteResponse) => RouteResponse;
}

/** Concurrent reads when a long response is rebuilt. */
const MAX_READS = 8;

/** Whether a route accepts `Idempotency-Key`: not with a streamed body that cannot be compared (`digestBody`). */
export const runsOnce = ({ method, auth, streamedBody, digestBody, reads }: Route): boolean =>
  method === 'post' && auth !== 'none' && (streamedBody === undefined || digestBody !== undefined) && !reads;

/**
 * Runs a POST once per caller and `Idempotency-Key`. A repeated request gets the first response, without secrets and
 * only as far as the caller may still read it.
 * @param route one that `runsOnce` accepts
 * @throws 400 when the key was used with different input, 409 while the first request is running or when its response
 * cannot be rebuilt
 */
export async function runOnce(
  route: Route,
  context: RequestContext,
  { store, secret }: Idempotency,
  request: Request,
): Promise<RouteResponse> {
  const key = context.req.headers['idempotency-key'];
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key))
    throw commonErrors.badRequest({ message: 'The idempotency key is not valid.' });

  const id = digest([context.access.principal.id, route.operation, key]);
  const fingerprint = fingerprintOf(context, secret);
  const begun = await store.begin(id, fingerprint);
  if (begun === 'running')
    throw commonErrors.conflict({
      message: 'The first request with this idempotency key is still running.',
      headers: { 'retry-after': '1' },
    });
  if (!('reply' in begun)) {
    const keep = (response: RouteResponse) => {
      const { bodyDigest } = context;
      return {
        ...keptOf(route, response),
        ...(bodyDigest !== undefined && { bodyDigest: sealed(bodyDigest, secret) }),
      };
    };
    return begun.run(request.run, { keep, early: (written) => keep(request.early(written)) });
  }
  const isSame =
    isEqual(begun.fingerprint, fingerprint) &&
    (!route.digestBody || isEqual(begun.reply.bodyDigest, sealed(await route.digestBody(context), secret)));
  if (!isSame) throw commonErrors.badRequest({ message: 'The idempotency key was already used with different input.' });
  const { headers, ...reply } = await replay(route, context, begun.reply, request.present);
  return { ...reply, headers: { ...headers, 'idempotency-replayed': 'true' } };
}

async function replay(
  route: Route,
  context: RequestContext,
  { status, headers, text, ids, isArray }: KeptResponse,
  present: Request['present'],
): Promise<RouteResponse> {
  const body: unknown = text === undefined ? undefined : JSON.parse(text);
  try {
    if (ids) {
      const found = await readAgain(route, context, ids);
      if (body !== undefined) return { status, headers, body: { ...body, _list: found } };
      const { etag: _etag, ...others } = headers ?? {};
      return present({ status, headers: others, body: isArray ? found : found[0] });
    }
    if (body !== undefined) await requireRead(route, context, body);
  } catch (error) {
    if (error instanceof AppError && [403, 404].includes(error.status))
      throw commonErrors.replyGone({ message: GONE, cause: error });
    throw error;
  }
  return { status, headers, body };
}

/**
 * Reads again what the first response showed, in its current state. Concurrency is bounded, because the resources may
 * be large.
 */
async function readAgain({ again }: Route, context: RequestContext, ids: string[]): Promise<unknown[]> {
  if (!again) throw commonErrors.replyGone();
  const found: unknown[] = [];
  for (let start = 0; start < ids.length; start += MAX_READS)
    found.push(...(await Promise.all(ids.slice(start, start + MAX_READS).map((id) => again(id, context)))));
  return found;
}

/** Checks the right to read, for routes whose `needs` did not check the resource itself. @throws 404 */
async function requireRead(route: Route, context: RequestContext, body: unknown): Promise<void> {
  const { needs } = route;
  if (!needs) return;
  const { rule, action, resource: type } = needs.declares;
  const entries = entriesOf(body);
  if (!needs.beforeBody && route.again) {
    await readAgain(
      route,
      context,
      entries.map(({ _id, id }) => String(_id ?? id)),
    );
  } else if (rule === 'all' && action === 'CREATE') {
    for (const { _id, id, _namespaces, ...fields } of entries)
      if (Array.isArray(_namespaces))
        await context.access.require('READ', { ...fields, _irn: `${type}:${String(_id ?? id)}`, _namespaces });
  }
}

const GONE = 'The first request succeeded, but what it created was deleted, or the caller can no longer read it.';

const fingerprintOf = ({ params, query, body }: RequestContext, secret: string) =>
  sealed(JSON.stringify([params, query, body]), secret);

/** A keyed hash of the text, prefixed with the id of the secret. */
const sealed = (text: string, secret: string) =>
  `${digest(secret).slice(0, 8)}.${createHmac('sha256', secret).update(text).digest('base64url')}`;

/** Compares keyed hashes. Those made with a former secret cannot be compared and count as equal. */
const isEqual = (before: string | undefined, now: string) =>
  before === now || (before !== undefined && before.split('.')[0] !== now.split('.')[0]);

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('base64url');

/** Longer bodies are rebuilt for a repeated request instead of stored. Far below MongoDB's 16 MiB per document. */
const MAX_KEPT_BYTES = 64 * 1024;

/** A response as stored for repeated requests. */
export interface KeptResponse extends Pick<RouteResponse, 'status' | 'headers'> {
  /** As JSON text, because MongoDB limits depth and field names. */
  text?: string;
  /** Set when the body was too long to store: the ids of its entries. `text` then holds the rest of the page. */
  ids?: string[];
  /** Whether that body was an array. */
  isArray?: boolean;
  /** Digest of a body that was not read into memory. */
  bodyDigest?: string;
}

type Entry = Record<string, unknown>;

/** @returns the response as stored, without its secrets */
function keptOf({ secrets = [] }: Route, { status, headers, body }: RouteResponse): KeptResponse {
  if (body === undefined) return { status, headers };
  const shown = without(body, secrets);
  const text = JSON.stringify(shown);
  if (Buffer.byteLength(text) <= MAX_KEPT_BYTES) return { status, headers, text };
  const ids = entriesOf(shown).map(({ _id, id }) => String(_id ?? id));
  if (Array.isArray(body)) return { status, headers, ids, isArray: true };
  return { status, headers, ids, ...(isPage(shown) && { text: JSON.stringify(without(shown, ['_list'])) }) };
}

/** The resources in a body: the entries of a page, or one resource. */
function entriesOf(body: unknown): Entry[] {
  if (Array.isArray(body)) return body as Entry[];
  return isPage(body) ? body._list : [body as Entry];
}

const isPage = (body: unknown): body is { _list: Entry[] } => Array.isArray((body as { _list?: unknown })._list);

function without(body: unknown, names: readonly string[]): unknown {
  if (names.length === 0) return body;
  return Object.fromEntries(Object.entries(body as Entry).filter(([name]) => !names.includes(name)));
}
