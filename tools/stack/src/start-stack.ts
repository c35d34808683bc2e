import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { startBackendsInLockedState } from './backends/start-backends.js';
import type { Backends } from './backends/types.js';
import { type Gateway, startGateway } from './gateway/start-gateway.js';
import type { Route } from './gateway/routes.js';
import { endLeftovers } from './processes/leftovers.js';
import type { LongRunning } from './processes/long-running.js';
import type { Report } from './report.js';
import { SERVICES, type ServiceEntry } from './services/catalogue.js';
import type { ServiceProcess } from './services/node-process.js';
import { type RunningServices, startServices } from './services/start-services.js';
import { type DevJson, devSettings, writeDevJson } from './state/dev-settings.js';
import { lockState } from './state/lock.js';

export interface StartStackOptions {
  /** Data, logs and secrets; a folder that was used before is used again. */
  stateDir: string;
  /** The gateway's port; 0, the default, takes a free one. */
  port?: number;
  report: Report;
  /** Empties the state first. */
  fresh?: boolean;
  env?: NodeJS.ProcessEnv;
  cacheDir?: string;
  /** Aborting it ends all that was begun; `startStack` then rejects with its reason. */
  signal?: AbortSignal;
  /** The platform's seven by default. */
  services?: readonly ServiceEntry[];
}

export interface Stack {
  /** By which callers reach the platform. */
  baseUrl: string;
  /** What `dev.json` in the state folder holds. */
  dev: DevJson;
  backends: Backends;
  /** The processes of services and workers. */
  services: readonly ServiceProcess[];
  /** In order: gateway, services, workers, backends. Safe to call again. */
  stop: () => Promise<void>;
}

/**
 * Starts the whole platform: gateway, backends, services and workers. Rejects with StateInUse, PortTaken,
 * BackendUnavailable or the last words of a service that failed; then nothing that was begun is left.
 */
export async function startStack(options: StartStackOptions): Promise<Stack> {
  const { report, env = process.env, signal = new AbortController().signal, services = SERVICES } = options;
  const stateDir = path.resolve(options.stateDir);
  const parts: Parts = { unlock: await lockState(stateDir) };
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= stopInOrder(parts));

  try {
    for (const name of await endLeftovers(stateDir)) report.warn(name, 'was left running by an earlier start; ended');
    if (options.fresh) await empty(stateDir);

    const ports = new Map<string, number>();
    const routes = services.flatMap((service) => routesTo(service, () => ports.get(service.name)));
    // First of all, so that a taken port is told before anything is begun.
    const gateway = (parts.gateway = await startGateway({ port: options.port ?? 0, routes }));
    const settings = await devSettings(stateDir);
    const backends = await startBackendsInLockedState({ ...options, dataDir: stateDir, env, signal });
    parts.backends = backends;

    const { baseUrl } = gateway;
    const around = { baseUrl, backends, settings, env };
    const onReady = ({ name }: ServiceEntry, port: number) => ports.set(name, port);
    const running = await startServices({ services, around, stateDir, report, signal, onReady });
    parts.services = running;
    warnOfEnds(running.processes, report, () => stopped !== undefined);

    const dev = await writeDevJson(stateDir, baseUrl, settings);
    return { baseUrl, dev, backends, services: running.processes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const routesTo = ({ name, prefixes, openApi }: ServiceEntry, upstreamPort: () => number | undefined): Route[] =>
  prefixes.map((prefix) => ({ prefix, service: name, openApi, upstreamPort }));

function warnOfEnds(processes: readonly LongRunning[], report: Report, isStopping: () => boolean): void {
  for (const { name, exited, logFile } of processes)
    void exited.then((how) => isStopping() || report.warn(name, `ended (${how}); its log: ${logFile}`));
}

/** All but the lock, which is ours. */
async function empty(stateDir: string): Promise<void> {
  const entries = (await readdir(stateDir)).filter((entry) => entry !== 'lock.json');
  await Promise.all(entries.map((entry) => rm(path.join(stateDir, entry), { recursive: true, force: true })));
}

interface Parts {
  gateway?: Pick<Gateway, 'close'>;
  services?: Pick<RunningServices, 'stop'>;
  backends?: Pick<Backends, 'stop'>;
  unlock: () => Promise<void>;
}

/** Every step is taken, whatever fails before. */
async function stopInOrder(parts: Parts): Promise<void> {
  const steps = [
    () => parts.gateway?.close(),
    () => parts.services?.stop(),
    () => parts.backends?.stop(),
    () => parts.unlock(),
  ];
  const failures: unknown[] = [];
  for (const step of steps) await step()?.catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
