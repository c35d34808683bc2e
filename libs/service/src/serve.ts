import type { RequestListener, Server } from 'node:http';
import { Registry } from 'prom-client';
import { adminListener, listen, portOf } from '@dtplatform/http';
import type { Attach, ReadinessChecks } from '@dtplatform/http';
import { measureBackends } from './measure-backends.js';
import type { MeasuredBackends } from './measure-backends.js';
import type { ProcessContext } from './process-context.js';
import type { ServiceConfig } from './service-config.js';

export interface AdminOptions extends ProcessContext, MeasuredBackends {
  config: Pick<ServiceConfig, 'HOST' | 'ADMIN_PORT'>;
  checks: ReadinessChecks;
  registry?: Registry;
}

type ServeOptions = AdminOptions & {
  config: Pick<ServiceConfig, 'HOST' | 'SHUTDOWN_DRAIN_MS' | 'KEEP_ALIVE_MS'>;
};

/** Opens the admin port of a service, then its API, and logs both ports. */
export async function serve(
  { listener, port, attach }: { listener: RequestListener; port: number; attach?: Attach },
  options: ServeOptions,
): Promise<void> {
  const { config, lifecycle, log } = options;
  const admin = await listenAdmin(options);
  const api = await listen(listener, {
    name: 'api',
    host: config.HOST,
    port,
    lifecycle,
    drainMs: config.SHUTDOWN_DRAIN_MS,
    keepAliveMs: config.KEEP_ALIVE_MS,
    attach,
  });
  log.info({ adminPort: portOf(admin), port: portOf(api) }, 'listening');
}

/** Opens the admin port of a process without an API. */
export async function serveAdmin(options: AdminOptions): Promise<void> {
  const admin = await listenAdmin(options);
  options.log.info({ adminPort: portOf(admin) }, 'listening');
}

function listenAdmin(options: AdminOptions): Promise<Server> {
  const { config, lifecycle, log, checks, registry = new Registry() } = options;
  measureBackends(options, registry);
  return listen(adminListener({ lifecycle, checks, registry, log }), {
    name: 'admin',
    host: config.HOST,
    port: config.ADMIN_PORT,
    lifecycle,
  });
}
