import { parse } from 'node:querystring';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { Registry } from 'prom-client';
import type { CorsOptions } from 'cors';
import express from 'express';
import cors from 'cors';
import escapeStringRegexp from 'escape-string-regexp';
import { commonErrors } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';
import type { Logger } from '@dtplatform/logging';
import type { AuditLog } from './audit.js';
import { declares } from './declared.js';
import { platformErrors } from './error-formats.js';
import type { ErrorFormat } from './error-formats.js';
import { answerError, toAppError } from './errors.js';
import type { ErrorMapper } from './errors.js';
import { withoutParameters } from './headers.js';
import type { Idempotency } from './idempotency.js';
import { rejectUndecodable } from './input.js';
import { relateRoutes } from './known-names.js';
import type { LimitRate } from './rate-limits.js';
import { createRequestMemory, measureBudgets } from './request-memory.js';
import type { RequestMemory } from './request-memory.js';
import { requestLog } from './request.js';
import type { Route, RouteTable } from './route.js';
import { runRoute } from './run-route.js';
import type { Authenticate } from './run-route.js';

export interface Mount {
  prefix: string;
  tables: RouteTable[];
  /** Middleware of this mount alone, such as the OAuth server's; runs after the tables. */
  fallback?: RequestHandler;
  errorFormat?: ErrorFormat;
}

export interface HttpAppOptions {
  mounts: Mount[];
  authenticate: Authenticate;
  log: Logger;
  /** The URL of the platform, for links to the documentation of errors. Links are relative without it. */
  baseUrl?: string;
  /** Map errors of the backends (503 while they are unavailable). */
  errorMappers?: ErrorMapper[];
  /** Allowed origins. */
  corsOrigins?: string[];
  /** Decides about all other origins; the default is no. */
  isAllowedOrigin?: IsAllowedOrigin;
  registry?: Registry;
  /** Rate limit per caller; unlimited without it. */
  limitRate?: LimitRate;
  /** Makes POSTs with an `Idempotency-Key` safe to retry. */
  idempotency?: Idempotency;
  /** Records calls that write. */
  audit?: AuditLog;
  /** Shared by the requests of the process. If absent, the default limits apply. */
  memory?: RequestMemory;
  /**
   * Turns a response, header or error that its operation does not declare into a 500 that names it. Off in production.
   */
  checksDeclarations?: boolean;
  /** Middleware that runs first, such as a method override. */
  before?: RequestHandler[];
}

/** Assembles the Express application of a service from its route tables. */
export function createHttpApp(options: HttpAppOptions): express.Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // Without `maxKeys`, parameters after the 1000th would be dropped.
  app.set('query parser', (text: string | null) => parse(text ?? '', '&', '=', { maxKeys: 0 }));
  const { registry = new Registry() } = options;
  app.use(requestLog(options.log, registry));
  app.use(crossOrigin(options.corsOrigins ?? [], options.isAllowedOrigin));
  for (const middleware of options.before ?? []) app.use(middleware);
  const shared = { memory: createRequestMemory(), ...options };
  const { received, working, arriving } = shared.memory;
  measureBudgets(registry, { received, working, arriving });
  for (const mount of options.mounts) app.use(mount.prefix, mountRouter(mount, shared));
  app.use((_req, _res, next) => next(unknownPath()));
  app.use(errorAnswer(platformErrors, options));
  return app;
}

interface RouterOptions extends HttpAppOptions {
  memory: RequestMemory;
}

function mountRouter(mount: Mount, options: RouterOptions): express.Router {
  const router = express.Router();
  relateRoutes(mount.tables);
  for (const table of mount.tables) router.use(table.base, tableRouter(table, mount, options));
  if (mount.fallback) router.use(mount.fallback);
  router.use((_req, _res, next) => next(unknownPath()));
  router.use(errorAnswer(mount.errorFormat ?? platformErrors, options));
  return router;
}

function tableRouter(table: RouteTable, mount: Mount, options: RouterOptions): express.Router {
  const router = express.Router();
  const isFixed = ({ path }: Route) => !path.includes(':');
  // Fixed paths go first, so that a path with parameters hides neither them nor their 405s.
  addRoutes(router, table.routes.filter(isFixed), options);
  addRoutes(
    router,
    table.routes.filter((each) => !isFixed(each)),
    options,
  );
  if (table.ownsBase) router.use((_req, _res, next) => next(unknownPath()));
  router.use(errorAnswer(table.errorFormat ?? mount.errorFormat ?? platformErrors, options));
  return router;
}

function addRoutes(router: express.Router, list: Route[], options: RouterOptions): void {
  const operations = new Map(list.map(({ method, path }) => [`${method} ${path}`, { method, path }]));
  for (const { method, path } of operations.values()) {
    const candidates = list.filter((route) => route.method === method && route.path === path);
    router[method](path, (req: Request, res: Response) => {
      const route = pick(candidates, req);
      res.locals.route = route;
      rejectUndecodable(req.originalUrl);
      return runRoute(route, req, res, options);
    });
  }
  // After all operations, because paths may overlap.
  for (const path of new Set(list.map((route) => route.path))) {
    const methods = list.filter((route) => route.path === path).map(({ method }) => method);
    router.all(path, rejectMethod(methods));
  }
}

function pick(candidates: Route[], req: Request): Route {
  if (candidates.length === 1) return candidates[0]!;
  const { query, headers } = req;
  // Media type parameters in `Accept` do not select among our types.
  const accept = headers.accept && withoutParameters(headers.accept);
  const accepting = Object.create(req, { headers: { value: { accept } } }) as Request;
  const request = { query, headers, accepts: (types: string[]) => accepting.accepts(types) };
  return candidates.find(({ when }) => !when || when(request)) ?? candidates[candidates.length - 1]!;
}

/** Every GET has a HEAD. */
const rejectMethod =
  (methods: string[]): RequestHandler =>
  (_req, _res, next) => {
    const all = new Set(methods.flatMap((method) => (method === 'get' ? ['get', 'head'] : [method])));
    next(commonErrors.methodNotAllowed({ headers: { allow: [...all].join(', ').toUpperCase() } }));
  };

const unknownPath = () => commonErrors.notFound({ message: 'There is no such path.' });

const errorAnswer =
  (format: ErrorFormat, { log, errorMappers = [], checksDeclarations = false, baseUrl }: HttpAppOptions) =>
  // Express recognizes an error handler by its four parameters.
  (error: unknown, req: Request, res: Response, _next: NextFunction) => {
    const { route } = res.locals as { route?: Route };
    const mapped = toAppError(error, errorMappers);
    const shown = checksDeclarations ? declaredError(mapped, route) : mapped;
    answerError(shown, req, res, { format: route?.errorFormat ?? format, log, baseUrl });
  };

/** The error itself if its operation declares it. */
function declaredError(error: AppError, route: Route | undefined): AppError {
  if (!route || declares(route, error)) return error;
  const message = `${route.operation} does not declare the error ${error.code} (${error.status}).`;
  return commonErrors.internal({ message, cause: error });
}

/** Response headers that pages of other origins may read. */
const EXPOSED = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Range',
  'ETag',
  'Idempotency-Replayed',
  'Ignored',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Length',
  'Upload-Offset',
  'X-Request-Id',
];

/** Whether pages of an origin may call. */
export type IsAllowedOrigin = (origin: string) => Promise<boolean>;

/**
 * Whether pages of an origin may call.
 * @param origins exact origins; `*` matches any part of a host or any port (`http://localhost:*`)
 * @param isAllowed decides about all others; an error means no
 */
export function originCheck(origins: string[], isAllowed: IsAllowedOrigin): IsAllowedOrigin {
  const patterns = origins.map(originPattern);
  return async (origin) => patterns.some((pattern) => pattern.test(origin)) || isAllowed(origin).catch(() => false);
}

/** The cors package treats every OPTIONS as a preflight, but tus uses OPTIONS itself. */
function crossOrigin(origins: string[], isAllowed: IsAllowedOrigin = async () => false): RequestHandler {
  const settings = corsOptions(origins, isAllowed);
  const preflight = cors(settings);
  const headersOnly = cors({ ...settings, preflightContinue: true });
  return (req, res, next) =>
    req.headers['access-control-request-method'] ? preflight(req, res, next) : headersOnly(req, res, next);
}

function corsOptions(origins: string[], isAllowed: IsAllowedOrigin): CorsOptions {
  const check = originCheck(origins, isAllowed);
  return {
    origin: (origin, answer) => {
      if (origin === undefined) return answer(null, false);
      void check(origin).then((allowed) => answer(null, allowed));
    },
    exposedHeaders: EXPOSED,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    credentials: false,
    maxAge: 600,
  };
}

const originPattern = (origin: string) =>
  new RegExp(`^${origin.split('*').map(escapeStringRegexp).join('[A-Za-z0-9.-]*')}$`, 'i');
