import { existsSync } from 'node:fs';
import path from 'node:path';
import { allOrNone } from '../processes/all-or-none.js';
import type { ServiceEntry } from './catalogue.js';
import { runNode, serveNode, type ServiceProcess } from './node-process.js';

export interface ServiceStart {
  service: ServiceEntry;
  port: number;
  env: NodeJS.ProcessEnv;
  stateDir: string;
  signal: AbortSignal;
  /** `NODE_OPTIONS` of a process, by its name. */
  nodeOptions?: (process: string) => string;
  /** Called for each process that is ready. */
  onReady: (role: 'main' | 'worker', running: ServiceProcess) => void;
}

/** Migrates a service's database, then starts the service and its worker, if any. */
export async function startService({
  service,
  port,
  env,
  onReady,
  nodeOptions,
  ...common
}: ServiceStart): Promise<void> {
  const { name } = service;
  const { stateDir } = common;
  const environmentOf = (process: string) => (nodeOptions ? { ...env, NODE_OPTIONS: nodeOptions(process) } : env);
  const program = (file: string) => path.join(service.programs, file);

  if (existsSync(program('migrate.js'))) {
    await runNode({ ...common, name: `${name}-migrate`, program: program('migrate.js'), env });
  }
  const main = async (signal: AbortSignal) => {
    const withPort = { ...environmentOf(name), PORT: String(port) };
    const running = await serveNode({ name, program: program('main.js'), env: withPort, stateDir, signal });
    onReady('main', { ...running, url: `http://127.0.0.1:${port}` });
  };
  const worker = async (signal: AbortSignal) => {
    if (env.WORKERS === 'inline' || !existsSync(program('worker.js'))) return;
    const node = { name: `${name}-worker`, program: program('worker.js'), stateDir, signal };
    onReady('worker', await serveNode({ ...node, env: environmentOf(node.name) }));
  };
  await allOrNone([main, worker], common.signal);
}
