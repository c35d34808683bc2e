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

/** A part of a path that is a secret: 256 random bits in base64url, as in links of mails. */
const LINK_TOKEN = /(?<=\/)[A-Za-z0-9_-]{43}(?=\/|$)/g;

/** What is known of a request at its end: its route, and the code of its error. */
interface Answered {
  route?: Route;
  code?: string;
}

/** Gives each request its ids and its span, and writes one log line and one measurement when it ends. */
export function requestLog(log: Logger, registry: Registry) {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its answer.',
    labelNames: ['operation', 'status'],
    buckets: BUCKETS_SEC,
    registers: [registry],
  });

  return (req: Request, res: Response, next: NextFunction) => {
    const startMs = performance.now();
    // Routers shorten it on the way. The query is not logged: it may hold secrets.
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

/** 499 if the caller disconnected before it had an answer, or in the middle of one that is no error. */
function statusOf({ headersSent, statusCode }: Response, bounds: RequestBounds): number {
  const isAnswered = headersSent && (statusCode >= FIRST_ERROR_STATUS || !bounds.isCallerGone);
  return isAnswered ? statusCode : CALLER_DISCONNECTED;
}

/** Its name and route are known only now. */
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
 * What ends a request early, and what it may read. Connections and timers that a request opens keep it for as long as they
 * live, so it must not lead to what the request has read.
 */
export class RequestBounds implements CallBounds {
  /** Whose memory the request takes: callers without a token share theirs. */
  caller = '';
  memory: ReadMemory | undefined;
  readonly #res: ServerResponse;
  /** A request that is destroyed no longer has it. */
  readonly #socket: Socket;
  #abort: AbortController | undefined;

  constructor(res: ServerResponse) {
    this.#res = res;
    this.#socket = res.req.socket;
  }

  /** Whether the caller has closed the connection, broken it or stopped sending before the response was complete. */
  get isCallerGone(): boolean {
    const { req, writableFinished } = this.#res;
    if (writableFinished) return false;
    // What this process destroys by itself has none of these.
    const isCut = (req.errored as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET';
    return this.#socket.readableEnded || Boolean(this.#socket.errored) || isCut;
  }

  /** Aborted when the caller disconnects before the response is complete. Created on first use: few requests need it. */
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
 * Calls `end` once the response is complete or its connection has ended. A response that waits behind others of its
 * connection has no `close` event of its own when the connection ends.
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
  // One listener for each response that waits.
  socket.setMaxListeners(0).once('close', closed);
}
