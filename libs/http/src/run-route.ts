import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { Share } from '@dtplatform/budget';
import { commonErrors } from '@dtplatform/errors';
import type { Logger } from '@dtplatform/logging';
import type { Access } from '@dtplatform/permissions';
import type { Precondition } from '@dtplatform/resource';
import type { RequestContext } from './context.js';
import { onceClosed } from './disconnection.js';
import type { Disconnection } from './disconnection.js';
import { etagOf, preconditionOf } from './etag.js';
import { runOnce } from './idempotency.js';
import type { IdempotencyStore } from './idempotency.js';
import { parseInput } from './input.js';
import type { Reply } from './reply.js';
import { admitBody, readJson } from './request-body.js';
import { ONE_READ_BYTES, PAGE_READ_BYTES, reserve } from './request-memory.js';
import type { RequestMemory } from './request-memory.js';
import type { Route } from './route.js';
import { sendReply } from './send-reply.js';

/** Authenticates the caller of a request. @throws 401, or 503 while that is not possible */
export type Authenticate = (req: IncomingMessage, tokenHeader?: string) => Promise<Access>;

export interface RouteRunner {
  authenticate: Authenticate;
  log: Logger;
  /** Makes POSTs safe to retry; without it the header `Idempotency-Key` is ignored. */
  idempotency?: IdempotencyStore;
  /** Checks replies against their declaration; off in production. */
  validateReplies: boolean;
  /** What the requests of this process share. */
  memory: RequestMemory;
}

/** Above this, what a caller has not taken yet counts as memory of its request. */
const LARGE_REPLY_BYTES = 256 * 1024;
const MAX_SEND_MS = 60_000;
/** The same for callers that leave many of them: they must not keep others from reading. */
const MAX_SEND_OVER_BUDGET_MS = 2_000;

/** Runs one operation: authenticates the caller, validates the input, checks the permission, answers. */
export async function runRoute(route: Route, req: Request, res: Response, runner: RouteRunner): Promise<void> {
  const access = route.auth === 'none' ? undefined : await runner.authenticate(req, route.tokenHeader);
  if (access && route.callers && !route.callers.includes(access.principal.kind)) throw commonErrors.forbidden();
  const context = new Context(req, res, access, runner.log);
  if (route.params) context.params = parseInput(route.params, req.params, 'params');
  if (route.query) context.query = parseInput(route.query, req.query, 'query');
  const held: HeldMemory = { parsed: undefined, read: undefined };
  try {
    if (route.body && access) await admitBody(route, context, access);
    if (route.body) held.parsed = await readJson(route, context, runner.memory);
    if (access && readsStored(route, access)) held.read = await reserveRead(route, context, runner.memory);
    await answer(await handle(route, context, runner, held), context, held, runner.memory);
  } finally {
    held.parsed?.release();
    held.read?.release();
  }
}

/** What a request has reserved. */
interface HeldMemory {
  parsed: Share | undefined;
  read: Share | undefined;
}

async function handle(route: Route, context: Context, runner: RouteRunner, { parsed }: HeldMemory): Promise<Reply> {
  // It may wait for long, and by then holds little of the text.
  if (route.mayTakeLong) parsed?.release();
  if (route.needs) context.resource = await route.needs.check(context);
  const run = async () => present(route, await route.handler(context), context);
  const early = (written: unknown) => present(route, route.early!(written), context);
  const reply = runner.idempotency ? await runOnce(route, context, runner.idempotency, { run, early }) : await run();
  if (runner.validateReplies && !context.res.headersSent) assertDeclared(route, reply);
  return reply;
}

async function answer(reply: Reply, context: Context, held: HeldMemory, { unsent }: RequestMemory): Promise<void> {
  const { req, res } = context;
  // The OAuth server and the pages send their answers themselves.
  if (res.headersSent) return;
  if (reply.stream) held.read?.release();
  await sendReply(req, res, reply);
  if (!held.read || res.writableLength <= LARGE_REPLY_BYTES) return;
  const share = unsent.tryReserve(res.writableLength, context.caller);
  if (share) return void releaseOnceSent(share, context, MAX_SEND_MS);
  releaseOnceSent(held.read, context, MAX_SEND_OVER_BUDGET_MS);
  held.read = undefined;
}

/**
 * Whether an operation may load much. Calls of other services do not count: they serve calls that may hold a share already,
 * and must not wait for them.
 */
const readsStored = ({ method, needs, streamedBody, mayTakeLong }: Route, { principal }: Access) =>
  principal.kind !== 'trusted' && (method === 'get' || (needs && !streamedBody && !mayTakeLong));

const reserveRead = (route: Route, context: Context, { read }: RequestMemory) =>
  reserve(read, route.readsOne?.(context) ? ONE_READ_BYTES : PAGE_READ_BYTES, context);

/** Keeps the memory of a large reply reserved until the caller has taken it, for a limited time. */
function releaseOnceSent(share: Share, { req, res }: Context, maxMs: number): void {
  const timer = setTimeout(() => req.socket.destroy(), maxMs);
  onceClosed(res, () => {
    clearTimeout(timer);
    share.release();
  });
}

/** A reply as callers see it, with its ETag. @throws 412 for a read of another revision than `If-Match` names */
function present(route: Route, reply: Reply, context: RequestContext): Reply {
  if (reply.body === undefined) return reply;
  const { etag, show = (body: unknown) => body } = route;
  const revision = etag?.(reply.body, context);
  if (revision === undefined) return { ...reply, body: show(reply.body) };
  const { method } = route;
  const isRead = method === 'get' || method === 'head';
  if (isRead && context.precondition?.includes(revision) === false) throw commonErrors.preconditionFailed();
  return { ...reply, headers: { etag: etagOf(revision), ...reply.headers }, body: show(reply.body) };
}

/** A class, so that what few handlers use (signal, log) is created on first use. */
class Context implements RequestContext {
  params: unknown;
  query: unknown;
  body: unknown;
  resource: unknown;
  readonly req: Request;
  readonly res: Response;
  readonly #access: Access | undefined;
  readonly #log: Logger;

  constructor(req: Request, res: Response, access: Access | undefined, log: Logger) {
    this.req = req;
    this.res = res;
    this.#access = access;
    this.#log = log;
  }

  get access(): Access {
    if (!this.#access) throw new Error('This route has no caller: it is declared with auth none.');
    return this.#access;
  }

  /** Whose memory the request takes: callers without a token share theirs. */
  get caller(): string {
    return this.#access?.principal.id ?? '';
  }

  get requestId(): string {
    return this.res.locals.requestId as string;
  }

  get log(): Logger {
    return this.#log;
  }

  get precondition(): Precondition {
    return preconditionOf(this.req);
  }

  get signal(): AbortSignal {
    return (this.res.locals.disconnection as Disconnection).signal;
  }
}

function assertDeclared(route: Route, reply: Reply): void {
  const declared = route.replies[reply.status];
  if (declared === undefined) throw new Error(`${route.operation} does not declare the status ${reply.status}`);
  if (declared === null || !('safeParse' in declared)) return;
  const checked = declared.safeParse(reply.body);
  if (!checked.success) throw new Error(`${route.operation} breaks its declaration`, { cause: checked.error });
}
