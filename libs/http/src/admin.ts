import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { collectDefaultMetrics } from 'prom-client';
import type { Registry } from 'prom-client';
import pTimeout from 'p-timeout';
import type { Lifecycle } from '@dtplatform/lifecycle';
import type { Logger } from '@dtplatform/logging';
import { measureEventLoopLag } from './event-loop-lag.js';

/** Never: `measureEventLoopLag` takes the samples. */
const EVENT_LOOP_PRECISION_MS = 2 ** 31 - 1;

/**
 * The admin port of a process: `/livez` (the process responds), `/readyz` (its backends respond and it is not stopping)
 * and `/metrics`.
 */
export function adminListener(options: { readiness: () => Promise<Readiness>; registry: Registry }): RequestListener {
  collectDefaultMetrics({ register: options.registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  measureEventLoopLag(options.registry);
  const pages: Record<string, (res: ServerResponse) => Promise<void>> = {
    '/livez': async (res) => json(res, 200, { status: 'ok' }),
    '/readyz': async (res) => {
      const { ready, stopping, checks } = await options.readiness();
      json(res, ready ? 200 : 503, { status: ready ? 'ok' : 'not ready', stopping, checks });
    },
    '/metrics': async (res) => {
      const text = await options.registry.metrics();
      res.writeHead(200, { 'content-type': options.registry.contentType }).end(text);
    },
  };
  return (req: IncomingMessage, res: ServerResponse) => {
    const page = pages[(req.url ?? '').split('?', 1)[0]!];
    if (!page) return json(res, 404, { status: 'not found' });
    page(res).catch(() => res.destroy());
  };
}

function json(res: ServerResponse, status: number, body: unknown): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  res.writeHead(status, { ...headers, ...(status === 503 && { 'retry-after': '1' }) }).end(JSON.stringify(body));
}

/** Each check resolves if its backend responds and rejects otherwise. */
export type ReadinessChecks = Record<string, () => Promise<unknown>>;

export interface Readiness {
  ready: boolean;
  stopping: boolean;
  checks: Record<string, 'ok' | 'failing'>;
}

const CHECK_TIMEOUT_MS = 1500;

interface ReadinessOptions {
  lifecycle: Lifecycle;
  checks: ReadinessChecks;
  log: Logger;
}

/**
 * A function that runs all checks in parallel and logs only changes of a result, with the reason. A process is ready
 * while all succeed and it is not stopping.
 */
export function createReadiness({ lifecycle, checks, log }: ReadinessOptions): () => Promise<Readiness> {
  const failing = new Set<string>();

  async function stateOf(name: string, check: () => Promise<unknown>): Promise<'ok' | 'failing'> {
    try {
      await pTimeout(Promise.resolve().then(check), { milliseconds: CHECK_TIMEOUT_MS });
      if (failing.delete(name)) log.info({ check: name }, 'readiness check recovered');
      return 'ok';
    } catch (error) {
      if (!failing.has(name)) log.warn({ err: error, check: name }, 'readiness check failed');
      failing.add(name);
      return 'failing';
    }
  }
  return async () => {
    const states = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await stateOf(name, check)] as const),
    );
    const { stopping } = lifecycle;
    const ready = !stopping && states.every(([, state]) => state === 'ok');
    return { ready, stopping, checks: Object.fromEntries(states) };
  };
}
