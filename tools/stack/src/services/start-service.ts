import { existsSync } from 'node:fs';
import path from 'node:path';
import { allOrNone } from '../processes/all-or-none.js';
import type { Report } from '../report.js';
import type { ServiceEntry } from './catalogue.js';
import { runNode, serveNode, type ServiceProcess } from './node-process.js';

export interface ServiceStart {
  service: ServiceEntry;
  port: number;
  env: NodeJS.ProcessEnv;
  stateDir: string;
  report: Report;
  signal: AbortSignal;
  /** Called for each process that is ready. */
  onReady: (role: 'main' | 'worker', running: ServiceProcess) => void;
}

/** Migrates a service's database, then starts the service and its worker, if any. */
export async function startService({ service, port, env, report, onReady, ...common }: ServiceStart): Promise<void> {
  const { name } = service;
  const { stateDir } = common;
  const program = (file: string) => path.join(service.programs, file);

  if (existsSync(program('migrate.js'))) {
    report.progress(name, 'migrating its database');
    await runNode({ ...common, name: `${name}-migrate`, program: program('migrate.js'), env });
  }
  const main = async (signal: AbortSignal) => {
    const withPort = { ...env, PORT: String(port) };
    const running = await serveNode({ name, program: program('main.js'), env: withPort, stateDir, signal });
    onReady('main', { ...running, url: `http://127.0.0.1:${port}` });
    report.ready(name, `serves ${service.prefixes.join(', ')}`);
  };
  const worker = async (signal: AbortSignal) => {
    if (!existsSync(program('worker.js'))) return;
    const node = { name: `${name}-worker`, program: program('worker.js'), env, stateDir, signal };
    onReady('worker', await serveNode(node));
    report.ready(`${name}-worker`, 'works on its queues');
  };
  await allOrNone([main, worker], common.signal);
}
