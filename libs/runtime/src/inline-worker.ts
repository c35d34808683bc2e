import type { Registry } from 'prom-client';
import type { ReadinessChecks } from '@dtplatform/http';
import { createLifecycle } from '@dtplatform/lifecycle';
import type { Backends } from './backends.js';
import { addJobs } from './serve.js';
import type { WorkerOptions } from './serve.js';
import type { ProcessContext, ServiceConfig } from './service-config.js';

interface Api extends Backends {
  config: ServiceConfig;
  checks: ReadinessChecks & Backends['checks'];
  registry: Registry;
}

type OpenWorker = (
  env: NodeJS.ProcessEnv,
  context: ProcessContext,
) => Promise<Pick<WorkerOptions, 'checks' | 'startJobs'>>;

/**
 * With `WORKERS=inline`, runs the jobs of the service's worker in the process of its API, on the same connections. The
 * admin port reports both. At a shutdown, all jobs together get the first half of the time, and requests the other half.
 */
export async function runInlineWorker(api: Api, open: OpenWorker): Promise<void> {
  if (api.config.WORKERS !== 'inline') return;
  const { log, lifecycle } = api;
  const graceMs = Math.ceil(api.config.SHUTDOWN_GRACE_MS / 2);
  const own = createLifecycle({ log, graceMs });
  lifecycle.onStop('inline worker', () => own.stop('the service stops'));
  const env = { ...process.env, SHUTDOWN_GRACE_MS: String(graceMs) };
  const { checks, startJobs } = await open(env, { log, lifecycle: own, backends: api });
  Object.assign(api.checks, checks);
  await addJobs({ lifecycle: own, log, startJobs, migrated: checks.migrations }, api.checks, api.registry);
}
