import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Logger } from '@dtplatform/logging';

const REQUEST_ID = /^[\w.-]{1,64}$/;
const BUCKETS_SEC = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

/** Gives each request its id, and writes one log line and one measurement when it ends. */
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
    const { method, path } = req;
    const sent = req.headers['x-request-id'];
    const requestId = typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();
    res.locals.requestId = requestId;
    res.setHeader('x-request-id', requestId);
    res.setHeader('x-content-type-options', 'nosniff');
    res.once('close', () => {
      const durationMs = performance.now() - startMs;
      const operation = (res.locals.operation as string | undefined) ?? 'none';
      durations.observe({ operation, status: res.statusCode }, durationMs / 1000);
      log.info({ requestId, operation, method, path, status: res.statusCode, durationMs });
    });
    next();
  };
}
