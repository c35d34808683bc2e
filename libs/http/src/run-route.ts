import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { commonErrors } from '@dtplatform/errors';
import type { Logger } from '@dtplatform/logging';
import type { Access } from '@dtplatform/permissions';
import type { RequestContext } from './context.js';
import { checkIfMatch } from './etag.js';
import { runOnce } from './idempotency.js';
import type { IdempotencyStore } from './idempotency.js';
import { parseInput, readJsonBody } from './input.js';
import type { Reply } from './reply.js';
import type { Route } from './route.js';
import { sendReply } from './send-reply.js';

/** Finds the caller of a request. @throws 401, or 503 while that cannot be told */
export type Authenticate = (req: IncomingMessage, tokenHeader?: string) => Promise<Access>;

export interface RouteRunner {
  authenticate: Authenticate;
  log: Logger;
  /** Lets POSTs be repeated safely; without it the header `Idempotency-Key` is ignored. */
  idempotency?: IdempotencyStore;
  /** Checks replies against their declaration; on outside production. */
  validateReplies: boolean;
}

const DEFAULT_MAX_BODY_BYTES = 1024 * 1024;

/** Runs one operation: who asks, is the input valid, may they, what is the answer. */
export async function runRoute(route: Route, req: Request, res: Response, runner: RouteRunner): Promise<void> {
  const access = route.auth === 'none' ? undefined : await runner.authenticate(req, route.tokenHeader);
  if (access && route.callers && !route.callers.includes(access.principal.kind)) throw commonErrors.forbidden();
  const context = new Context(req, res, access, runner.log);
  if (route.params) context.params = parseInput(route.params, req.params, 'params');
  if (route.query) context.query = parseInput(route.query, req.query, 'query');
  if (route.body) context.body = await readBody(route, req);
  if (route.needs) context.resource = await route.needs.check(context);
  checkIfMatch(req, context.resource);
  const run = () => route.handler(context);
  const reply = runner.idempotency ? await runOnce(route, context, runner.idempotency, run) : await run();
  // A handler that spoke for itself (the OAuth server, a page) has nothing left to send.
  if (res.headersSent) return;
  if (runner.validateReplies) assertDeclared(route, reply);
  await sendReply(req, res, reply);
}

async function readBody(route: Route, req: Request): Promise<unknown> {
  const value = await readJsonBody(req, route.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES, route.ignoreContentEncoding);
  return parseInput(route.body!, value, 'body');
}

/** A class, so that what few handlers use (signal, log) is made only when it is asked for. */
class Context implements RequestContext {
  params: unknown;
  query: unknown;
  body: unknown;
  resource: unknown;
  readonly req: Request;
  readonly res: Response;
  readonly #access: Access | undefined;
  readonly #log: Logger;
  #abort: AbortController | undefined;

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

  get requestId(): string {
    return this.res.locals.requestId as string;
  }

  get log(): Logger {
    return this.#log;
  }

  get requireMatch(): (current: object) => void {
    return (current) => checkIfMatch(this.req, current);
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      const abort = (this.#abort = new AbortController());
      this.res.once('close', () => this.res.writableFinished || abort.abort());
      if (this.res.destroyed) abort.abort();
    }
    return this.#abort.signal;
  }
}

function assertDeclared(route: Route, reply: Reply): void {
  const declared = route.replies[reply.status];
  if (declared === undefined) throw new Error(`${route.operation} does not declare the status ${reply.status}`);
  if (declared === null || !('safeParse' in declared)) return;
  const checked = declared.safeParse(reply.body);
  if (!checked.success) throw new Error(`${route.operation} breaks its declaration`, { cause: checked.error });
}
