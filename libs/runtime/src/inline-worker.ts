import type { Registry } from 'prom-client';
import type { z } from 'zod';
import { loadConfig } from '@dtplatform/config';
import type { ReadinessChecks } from '@dtplatform/http';
import { createLifecycle } from '@dtplatform/lifecycle';
import type { Backends } from './backends.js';
import type { Jobs } from './jobs.js';
import { addJobs } from './serve.js';
import type { WorkerOptions } from './serve.js';
import type { ProcessContext, ServiceConfig } from './service-config.js';

interface Api extends Backends {
  config: ServiceConfig;
  checks: ReadinessChecks & Backends['checks'];
  registry: Registry;
}

/** What the program of the worker consists of. */
interface Worker<C extends z.ZodObject, D> {
  Config: C;
  createDeps: (config: z.infer<C>, context: ProcessContext) => Promise<D>;
  service: { startJobs: (deps: D) => Promise<Jobs> };
}

/**
 * With `WORKERS=inline`, runs the jobs of the service's worker in the process of its API, on the same connections. The
 * admin port reports both. At a shutdown, all jobs together get the first half of the time, and requests the other half.
 */
export async function runInlineWorker<C extends z.ZodObject, D extends Pick<WorkerOptions, 'checks'>>(
  api: Api,
  { Config, createDeps, service }: Worker<C, D>,
): Promise<void> {
  if (api.config.WORKERS !== 'inline') return;
  const { processName, log } = api;
  const graceMs = Math.ceil(api.config.SHUTDOWN_GRACE_MS / 2);
  const lifecycle = createLifecycle({ log, graceMs });
  api.lifecycle.onStop('inline worker', () => lifecycle.stop('the service stops'));
  const config = loadConfig(Config, { ...process.env, SHUTDOWN_GRACE_MS: String(graceMs) });
  const deps = await createDeps(config, { processName, log, lifecycle, backends: api });
  Object.assign(api.checks, deps.checks);
  const startJobs = () => service.startJobs(deps);
  await addJobs({ lifecycle, log, startJobs, migrated: deps.checks.migrations }, api.checks, api.registry);
}
