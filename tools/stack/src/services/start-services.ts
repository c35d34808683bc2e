import { freePort } from '../ports.js';
import { withHeartbeat } from '../heartbeat.js';
import { allOrNone } from '../processes/all-or-none.js';
import type { Report } from '../report.js';
import type { ServiceEntry } from './catalogue.js';
import { environmentOf, type Surroundings } from './environment.js';
import type { ServiceProcess } from './node-process.js';
import { type ServiceStart, startService } from './start-service.js';

export interface RunningServices {
  processes: readonly ServiceProcess[];
  /** Stops the services first, so that nothing new is accepted, then their workers. */
  stop: () => Promise<void>;
}

export interface StartServicesOptions {
  services: readonly ServiceEntry[];
  around: Omit<Surroundings, 'ports'>;
  stateDir: string;
  report: Report;
  signal: AbortSignal;
  nodeOptions?: ServiceStart['nodeOptions'];
  /** Called as soon as a service is ready. */
  onReady: (service: ServiceEntry, port: number) => void;
}

/**
 * Starts every service and worker in a separate process, all in parallel, and waits until all are ready. When one
 * fails, the others are stopped and its error is thrown.
 */
export async function startServices({
  services,
  around,
  onReady,
  report,
  ...common
}: StartServicesOptions): Promise<RunningServices> {
  const ports = new Map<string, number>();
  for (const { name } of services) ports.set(name, await freePort());
  const pending = new Set(services.map(({ name }) => name));
  const running = { main: [] as ServiceProcess[], worker: [] as ServiceProcess[] };
  const stop = async () => {
    await Promise.all(running.main.map((process) => process.stop()));
    await Promise.all(running.worker.map((process) => process.stop()));
  };

  const start = (service: ServiceEntry) => async (signal: AbortSignal) => {
    const port = ports.get(service.name)!;
    await startService({
      ...common,
      service,
      port,
      signal,
      env: environmentOf(service, { ...around, ports }),
      onReady: (role, process) => {
        running[role].push(process);
        if (role === 'main') onReady(service, port);
      },
    });
    pending.delete(service.name);
  };
  const startAll = () => allOrNone(services.map(start), common.signal, stop);
  await withHeartbeat(report, 'services', 'starting', startAll, () => `waiting for ${[...pending].join(', ')}`);
  report.ready('services', `ready: ${services.map(({ name }) => name).join(', ')}`);
  return { processes: [...running.main, ...running.worker], stop };
}
