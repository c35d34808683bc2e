import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';
import { bearerToken } from '@dtplatform/jwt';
import type { PrincipalKind, TokenVerifier } from '@dtplatform/jwt';
import type { Logger } from '@dtplatform/logging';
import type { Access, OpenAccess } from '@dtplatform/permissions';
import { isRecorded, recorded } from './audit.js';
import type { AuditLog } from './audit.js';
import { assertDeclared, assertHeaders, isRead, takesIfMatch } from './declared.js';
import { etagOf, preconditionOf } from './headers.js';
import { runOnce, runsOnce } from './idempotency.js';
import type { ErrorMapper } from './errors.js';
import type { Idempotency } from './idempotency.js';
import { parseInput } from './input.js';
import { namesOf, takesPreferences } from './known-names.js';
import type { LimitRate } from './rate-limits.js';
import { sendResponse } from './response.js';
import type { RouteResponse } from './response.js';
import { admitBody, readJson } from './request-body.js';
import { RequestShares } from './request-memory.js';
import type { RequestMemory } from './request-memory.js';
import type { RequestBounds } from './request.js';
import type { RequestContext, Route } from './route.js';
import { prefersStrict, reportUnknown } from './unknown-names.js';

/** Authenticates the caller of a request. @throws 401, or 503 while it cannot */
export type Authenticate = (req: IncomingMessage, tokenHeader?: string) => Promise<Access>;

export interface RouteRunner {
  authenticate: Authenticate;
  log: Logger;
  /** Rate limit per caller. */
  limitRate?: LimitRate;
  /** Makes POSTs safe to retry. Without it, `Idempotency-Key` is ignored. */
  idempotency?: Idempotency;
  /** Records calls that write. */
  audit?: AuditLog;
  /** Map errors of the backends. */
  errorMappers?: ErrorMapper[];
  /** Compares responses with their declaration. */
  checksDeclarations?: boolean;
  /** The memory that requests of this process share. */
  memory: RequestMemory;
}

/** Runs one operation: authenticates, validates, checks the permission, calls the handler, responds. */
export async function runRoute(route: Route, req: Request, res: Response, runner: RouteRunner): Promise<void> {
  const access = route.auth === 'none' ? undefined : await runner.authenticate(req, route.tokenHeader);
  if (access && runner.limitRate) await runner.limitRate(req, res, access.principal);
  if (access) requireKind(route, access);
  const context = new Context(route, req, res, { access, log: runner.log });
  if (route.params) context.params = parseInput(route.params, req.params, 'params');
  // The getter parses it each time.
  const { query } = req;
  if (takesPreferences(route)) {
    if (prefersStrict(req)) res.setHeader('Preference-Applied', 'handling=strict');
    reportUnknown(context, namesOf(route).query, query, 'query');
  }
  if (route.query) context.query = parseInput(route.query, query, 'query');
  const { bounds } = context;
  if (access) bounds.caller = access.principal.id;
  const shares = new RequestShares(runner.memory, bounds);
  bounds.memory = shares;
  try {
    if (route.body) await takeBody(route, context, shares, access);
    shares.waits = access?.principal.kind !== 'trusted';
    if (route.needs) context.resource = await route.needs.check(context);
    await answer(await handle(route, context, runner), context, shares);
  } finally {
    shares.end();
  }
}

const CALLERS: Record<PrincipalKind, string> = {
  user: 'users',
  admin: 'administrators',
  app: 'applications',
  trusted: 'trusted clients',
  profile: 'permission profiles',
};

function requireKind({ callers }: Route, { principal }: Access): void {
  if (!callers || callers.includes(principal.kind)) return;
  const kinds = new Intl.ListFormat('en-GB').format(callers.map((kind) => CALLERS[kind]));
  throw commonErrors.forbidden({ message: `The operation is only for ${kinds}.` });
}

async function takeBody(route: Route, context: Context, shares: RequestShares, access?: Access): Promise<void> {
  if (access) await admitBody(route, context, access);
  // A request that waits for a body's memory must hold none.
  shares.release();
  await readJson(route, context, shares);
  if (route.mayTakeLong) shares.release();
}

async function handle(route: Route, context: Context, runner: RouteRunner): Promise<RouteResponse> {
  const shown = (response: RouteResponse) => present(route, response, context);
  const early = (written: unknown) => shown({ status: successOf(route), body: written });
  const { idempotency, audit, errorMappers = [] } = runner;
  const isKeyed = context.req.headers['idempotency-key'] !== undefined && runsOnce(route);
  const respond = (begin?: () => Promise<void>) => {
    const run = async () => {
      if (begin) await begin();
      return shown(await route.handler(context));
    };
    return idempotency && isKeyed ? runOnce(route, context, idempotency, { run, early, present: shown }) : run();
  };
  const response =
    audit && isRecorded(route) ? await recorded(route, context, { audit, errorMappers }, respond) : await respond();
  if (context.res.headersSent || !runner.checksDeclarations) return response;
  assertDeclared(route, response);
  assertHeaders(route, response, context.res);
  return response;
}

/** The lowest declared status, which is the successful one. */
const successOf = ({ responses }: Route): number => Math.min(...Object.keys(responses).map(Number));

async function answer(response: RouteResponse, { req, res }: Context, shares: RequestShares): Promise<void> {
  // The OAuth server and the pages send their responses themselves.
  if (res.headersSent) return;
  // Streamed content was not read into memory.
  if (response.stream) shares.release();
  await sendResponse(req, res, response);
  shares.holdUntilSent(res);
}

/** The response as callers see it, with its ETag. @throws 412 when a read does not match `If-Match` */
function present(route: Route, response: RouteResponse, context: RequestContext): RouteResponse {
  if (response.body === undefined) return response;
  const { etag, show = (body: unknown) => body } = route;
  const revision = etag?.(response.body, context);
  if (revision === undefined) return { ...response, body: show(response.body) };
  if (isRead(route) && context.precondition?.includes(revision) === false) throw commonErrors.preconditionFailed();
  return { ...response, headers: { etag: etagOf(revision), ...response.headers }, body: show(response.body) };
}

/** A class, so that rarely used parts (signal, log) are created on first use. */
class Context implements RequestContext {
  params: unknown;
  query: unknown;
  body: unknown;
  bodyBytes = 0;
  resource: unknown;
  readonly req: Request;
  readonly res: Response;
  readonly #route: Route;
  readonly #access: Access | undefined;
  readonly #log: Logger;

  constructor(route: Route, req: Request, res: Response, by: { access: Access | undefined; log: Logger }) {
    this.#route = route;
    this.req = req;
    this.res = res;
    this.#access = by.access;
    this.#log = by.log;
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

  get precondition(): Precondition {
    if (!takesIfMatch(this.#route)) throw new Error(`${this.#route.operation} does not declare ifMatch`);
    return preconditionOf(this.req);
  }

  get bounds(): RequestBounds {
    return this.res.locals.bounds as RequestBounds;
  }

  get signal(): AbortSignal {
    return this.bounds.signal;
  }
}

const missing = () =>
  commonErrors.unauthorized({
    message: 'The access token is missing: send it in the Authorization header, after Bearer.',
  });
const malformed = () =>
  commonErrors.unauthorized({
    message: 'The Authorization header is malformed: it must be Bearer, a space and an access token.',
    tokenSent: true,
  });

/** The 401 for a request without a token. @param authorization the header that should carry it */
export const withoutToken = (authorization: string | undefined): AppError =>
  authorization === undefined ? missing() : malformed();

/**
 * Bearer token authentication: verifies the signature with the platform's keys, then checks that the token was not
 * revoked.
 */
export const bearerAuthentication =
  (verify: TokenVerifier, openAccess: OpenAccess): Authenticate =>
  (req, tokenHeader) => {
    const token = bearerToken(req.headers) ?? (tokenHeader ? bearerToken(req.headers, tokenHeader) : undefined);
    if (!token) throw withoutToken(req.headers.authorization);
    const principal = verify(token);
    // Most tokens are cached, and saving a promise per request is measurable.
    return principal instanceof Promise ? principal.then(openAccess) : openAccess(principal);
  };
