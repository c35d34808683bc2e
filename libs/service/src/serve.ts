import type { RequestListener } from 'node:http';
import { Registry } from 'prom-client';
import { adminListener, listen, portOf } from '@dtplatform/http';
import type { ReadinessChecks } from '@dtplatform/http';
import type { ProcessContext } from './process-context.js';

export interface ServerConfig {
  HOST: string;
  ADMIN_PORT: number;
}

/** Opens the admin port of a process, then (for a service) its API, and says so in the log. */
export async function serve(
  app: { listener: RequestListener; port: number } | undefined,
  options: ProcessContext & { config: ServerConfig; checks: ReadinessChecks; registry?: Registry },
): Promise<void> {
  const { config, lifecycle, log, checks, registry = new Registry() } = options;
  const admin = await listen(adminListener({ lifecycle, checks, registry }), {
    name: 'admin',
    host: config.HOST,
    port: config.ADMIN_PORT,
    lifecycle,
  });
  const api = app && (await listen(app.listener, { name: 'api', host: config.HOST, port: app.port, lifecycle }));
  log.info({ adminPort: portOf(admin), port: api && portOf(api) }, 'listening');
}
