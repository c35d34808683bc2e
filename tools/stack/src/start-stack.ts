import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { startBackendsInLockedState } from './backends/start-backends.js';
import type { Backends } from './backends/types.js';
import { type Gateway, startGateway } from './gateway/start-gateway.js';
import type { Route } from './gateway/routes.js';
import { type MailCatcher, startMailCatcher } from './mail/index.js';
import { endLeftovers } from './processes/leftovers.js';
import type { LongRunning } from './processes/long-running.js';
import type { Report } from './report.js';
import { SERVICES, SITE, type ServiceEntry } from './services/catalogue.js';
import type { ServiceProcess } from './services/node-process.js';
import { adminSettings, backupSettings } from './services/environment.js';
import { type RunningServices, startServices } from './services/start-services.js';
import { type DevJson, devSettings, writeDevJson } from './state/dev-settings.js';
import { writeSecretJson } from './state/json-file.js';
import { lockState } from './state/lock.js';

export interface StartStackOptions {
  /** Data, logs and secrets; an existing folder is reused. */
  stateDir: string;
  /** The gateway's port; any free one by default. */
  port?: number;
  report: Report;
  /** Deletes the state first. */
  fresh?: boolean;
  env?: NodeJS.ProcessEnv;
  /** Aborting it stops everything that was started and makes `startStack` reject with the reason. */
  signal?: AbortSignal;
  /** The platform's seven services by default. */
  services?: readonly ServiceEntry[];
  /** By default the platform's site, or none if `services` is set. */
  site?: ServiceEntry;
  /** `NODE_OPTIONS` of a process, by its name. */
  nodeOptions?: (process: string) => string;
}

export interface Stack {
  baseUrl: string;
  /** The content of `dev.json` in the state folder. */
  dev: DevJson;
  backends: Backends;
  /** Includes workers, but not the site. */
  services: readonly ServiceProcess[];
  /** Stops gateway, services, site, workers and backends, in this order. Idempotent. */
  stop: () => Promise<void>;
}

/**
 * Starts the whole platform: gateway, backends, services, workers and site. Rejects if the state or
 * the port is in use, or with the reason of what did not start, after stopping everything that it started.
 */
export async function startStack(options: StartStackOptions): Promise<Stack> {
  const { report, env = process.env, signal = new AbortController().signal, services = SERVICES } = options;
  const { site = options.services ? undefined : SITE } = options;
  const stateDir = path.resolve(options.stateDir);
  const parts: Parts = { unlock: await lockState(stateDir) };
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= stopInOrder(parts));

  try {
    for (const name of await endLeftovers(stateDir))
      report.warn(name, 'was left running by an earlier start; stopped it');
    if (options.fresh) await empty(stateDir);

    const ports = new Map<string, number>();
    const entries = [...services, ...(site ? [site] : [])];
    const routes = entries.flatMap((entry) => routesTo(entry, () => ports.get(entry.name)));
    const mailDirectory = path.join(stateDir, 'mail');
    // First, so that a port in use is reported before anything else starts.
    const gateway = (parts.gateway = await startGateway({ port: options.port ?? 0, routes, mailDirectory }));
    const settings = await devSettings(stateDir);
    const backends = await startBackendsInLockedState({ ...options, dataDir: stateDir, env, signal });
    parts.backends = backends;

    // A mail server in the environment takes precedence, as backends do.
    if (!env.SMTP_URL) parts.mail = await startMailCatcher({ directory: mailDirectory });
    const { baseUrl } = gateway;
    const around = { baseUrl, backends, settings, smtpUrl: env.SMTP_URL || parts.mail!.url, env };
    const { nodeOptions } = options;
    const onReady = ({ name }: ServiceEntry, port: number) => ports.set(name, port);
    const common = { around, stateDir, report, onReady };
    const running = await startServices({ ...common, services: entries, signal, nodeOptions });
    parts.services = running;
    warnOfEnds(running.processes, report, () => stopped !== undefined);

    await writeSecretJson(path.join(stateDir, 'admin.json'), adminSettings(backends, settings));
    await writeSecretJson(path.join(stateDir, 'backup.json'), backupSettings(backends));
    const dev = await writeDevJson(stateDir, baseUrl, settings);
    return { baseUrl, dev, backends, services: running.processes.filter(({ name }) => name !== site?.name), stop };
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

/** Deletes everything but the lock, which we hold. */
async function empty(stateDir: string): Promise<void> {
  const entries = (await readdir(stateDir)).filter((entry) => entry !== 'lock.json');
  await Promise.all(entries.map((entry) => rm(path.join(stateDir, entry), { recursive: true, force: true })));
}

interface Parts {
  gateway?: Pick<Gateway, 'close'>;
  services?: Pick<RunningServices, 'stop'>;
  mail?: MailCatcher;
  backends?: Pick<Backends, 'stop'>;
  unlock: () => Promise<void>;
}

/** Runs every step even if earlier ones fail. */
async function stopInOrder(parts: Parts): Promise<void> {
  const steps = [
    () => parts.gateway?.close(),
    () => parts.services?.stop(),
    () => parts.mail?.stop(),
    () => parts.backends?.stop(),
    () => parts.unlock(),
  ];
  const failures: unknown[] = [];
  for (const step of steps) await step()?.catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
