import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import { Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import { commonErrors } from '@dtplatform/errors';
import type { Logger } from '@dtplatform/logging';
import { openCall, SpanKind, SpanStatusCode } from '@dtplatform/telemetry';
import type { CallBounds, ReadMemory, Span } from '@dtplatform/telemetry';
import { requestIdOf } from './bare-server.js';
import type { Route } from './route.js';

const BUCKETS_SEC = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

const { status: CALLER_DISCONNECTED, code: DISCONNECTED_CODE } = commonErrors.callerDisconnected();
const FIRST_ERROR_STATUS = 400;

/** Secrets in paths, as in mailed links: 256 random bits in base64url. */
const LINK_TOKEN = /(?<=\/)[A-Za-z0-9_-]{43}(?=\/|$)/g;

/** The route of a request and the code of its error. */
interface Answered {
  route?: Route;
  code?: string;
}

/** Assigns each request its ids and span, and writes one log line and one measurement at its end. */
export function requestLog(log: Logger, registry: Registry) {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of the response.',
    labelNames: ['operation', 'status'],
    buckets: BUCKETS_SEC,
    registers: [registry],
  });

  return (req: Request, res: Response, next: NextFunction) => {
    const startMs = performance.now();
    // Routers shorten `url` on the way. The query is not logged, because it may contain secrets.
    const { method } = req;
    const path = req.path.replace(LINK_TOKEN, '(token)');
    const requestId = requestIdOf(req);
    res.locals.requestId = requestId;
    res.setHeader('x-request-id', requestId);
    res.setHeader('x-content-type-options', 'nosniff');
    const origin = { requestId, traceparent: req.headers.traceparent as string | undefined };
    const bounds = new RequestBounds(res);
    res.locals.bounds = bounds;
    const call = openCall(origin, method, { kind: SpanKind.SERVER }, bounds);
    const end = () => {
      const durationMs = performance.now() - startMs;
      const { route, code: answered } = res.locals as Answered;
      const operation = route?.operation ?? 'none';
      const status = statusOf(res, bounds);
      const code = status === CALLER_DISCONNECTED ? DISCONNECTED_CODE : answered;
      durations.observe({ operation, status }, durationMs / 1000);
      log.info({ operation, method, path, status, code, durationMs });
      endSpan(call.span, req, res, { status, code });
    };
    res.once('close', () => call.run(end));
    call.run(next);
  };
}

/** 499 if the caller disconnected before the response or in the middle of a successful one. */
function statusOf({ headersSent, statusCode }: Response, bounds: RequestBounds): number {
  const isAnswered = headersSent && (statusCode >= FIRST_ERROR_STATUS || !bounds.isCallerGone);
  return isAnswered ? statusCode : CALLER_DISCONNECTED;
}

/** Name and route are known only at the end. */
function endSpan(span: Span, req: Request, res: Response, { status, code }: { status: number; code?: string }): void {
  if (!span.isRecording()) return;
  const { route } = res.locals as Answered;
  const { path } = (req.route ?? {}) as { path?: string };
  if (route) span.updateName(route.operation);
  span.setAttributes({
    'http.request.method': req.method,
    'http.route': path === undefined ? undefined : req.baseUrl + path.replace(/\/$/, ''),
    'http.response.status_code': status,
    'error.type': code,
  });
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/**
 * The deadline, abort signal and read budget of a request. Connections and timers keep it alive, so it must not
 * reference what the request has read.
 */
export class RequestBounds implements CallBounds {
  /** Whose share of memory the request uses; callers without a token share one. */
  caller = '';
  memory: ReadMemory | undefined;
  readonly #res: ServerResponse;
  /** A destroyed request no longer has it. */
  readonly #socket: Socket;
  #abort: AbortController | undefined;

  constructor(res: ServerResponse) {
    this.#res = res;
    this.#socket = res.req.socket;
  }

  /** Whether the caller closed or broke the connection, or stopped sending, before the response was complete. */
  get isCallerGone(): boolean {
    const { req, writableFinished } = this.#res;
    if (writableFinished) return false;
    // Requests that this process destroys have other codes.
    const isCut = (req.errored as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET';
    return this.#socket.readableEnded || Boolean(this.#socket.errored) || isCut;
  }

  /**
   * Aborts when the caller disconnects before the response is complete. Created on first use, because few requests need
   * it.
   */
  get signal(): AbortSignal {
    if (!this.#abort) {
      const controller = new AbortController();
      onceClosed(this.#res, () => {
        if (!this.#res.writableFinished) controller.abort(commonErrors.callerDisconnected());
      });
      this.#abort = controller;
    }
    return this.#abort.signal;
  }
}

/**
 * Calls `end` once the response is complete or its connection has closed. A pipelined response that waits for others
 * has no separate `close` event.
 */
export function onceClosed(res: ServerResponse, end: () => void): void {
  const { socket } = res.req;
  if (res.destroyed || socket.destroyed) return end();
  const closed = () => {
    res.off('close', closed);
    socket.off('close', closed);
    end();
  };
  res.once('close', closed);
  // One listener per waiting response.
  socket.setMaxListeners(0).once('close', closed);
}
