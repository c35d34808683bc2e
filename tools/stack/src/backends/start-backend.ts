import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type LongRunning, startLongRunning } from '../processes/long-running.js';
import { signalGroup } from '../processes/tether.js';
import { succeeds, until } from '../processes/until.js';
import { freePort, isPortFree } from '../ports.js';
import { readJson, writeSecretJson } from '../state/json-file.js';
import type { BackendSpec, Credentials } from './backend-spec.js';
import { acquire } from './sources/acquire.js';
import type { Launcher, SourceKind } from './sources/source.js';
import type { StartContext } from './types.js';

export interface StartedBackend<Connection> {
  connection: Connection;
  stop: () => Promise<void>;
  /** Sends SIGKILL. */
  kill: () => Promise<void>;
  /** Suspends it. The returned function resumes it. */
  freeze: () => Promise<() => Promise<void>>;
}

/** Stays the same across starts on the same data; stored beside the data. */
interface Kept extends Credentials {
  port: number;
  source: SourceKind;
}

/** Finds or starts one backend and waits until it is ready. */
export async function startBackend<Connection>(
  spec: BackendSpec<Connection>,
  context: StartContext,
): Promise<StartedBackend<Connection>> {
  return (await findInEnvironment(spec, context)) ?? (await startOwn(spec, context));
}

async function findInEnvironment<Connection>(spec: BackendSpec<Connection>, { env, report }: StartContext) {
  const connection = spec.fromEnvironment(env);
  if (connection === undefined) return undefined;
  await spec.check(connection).catch((error: unknown) => {
    throw new Error(`${spec.setting} is not usable: ${(error as Error).message}`, { cause: error });
  });
  report.ready(spec.title, `found by ${spec.setting} in the environment`);
  const notOurs = () => Promise.reject(new Error(`${spec.title} was not started here`));
  return { connection, stop: () => Promise.resolve(), kill: notOurs, freeze: notOurs };
}

async function startOwn<Connection>(spec: BackendSpec<Connection>, context: StartContext) {
  const { dataDir, report, signal } = context;
  const dir = path.join(dataDir, spec.folder ?? spec.name);
  const settings = `${dir}.json`;
  const before = await readJson<Kept>(settings);
  const launcher = await acquire(spec, before?.source, context);

  const port = before !== undefined && (await isPortFree(before.port)) ? before.port : await freePort();
  const { accessKey, secretKey } = before ?? {
    accessKey: 'dtplatform',
    secretKey: randomBytes(24).toString('base64url'),
  };
  const kept: Kept = { port, source: launcher.kind, accessKey, secretKey };
  await writeSecretJson(settings, kept);

  const connection = spec.connection(port, { accessKey, secretKey });
  const server = await launch(spec, launcher, { ...kept, dir }, context);
  try {
    await Promise.race([untilReady(spec, connection, signal), failure(server)]);
  } catch (error) {
    await server.stop();
    throw error;
  }
  let stopping = false;
  void server.exited.then((how) => {
    if (!stopping) report.warn(spec.title, `ended (${how}); its log: ${server.logFile}`);
  });
  report.ready(spec.title, `serves on 127.0.0.1:${port}, from ${launcher.description}`);
  const stop = () => ((stopping = true), server.stop());
  const kill = () => {
    signalGroup(server.pid, 'SIGKILL');
    return stop();
  };
  const pause = async (isPaused: boolean) => {
    if (launcher.pause) return launcher.pause(dir, isPaused);
    // Not its group: the watcher in it must keep running.
    process.kill(server.pid, isPaused ? 'SIGSTOP' : 'SIGCONT');
  };
  const freeze = async () => {
    await pause(true);
    if (!launcher.pause && process.platform === 'linux') await untilSuspended(server.pid);
    return () => pause(false);
  };
  return { connection, stop, kill, freeze };
}

async function untilReady<Connection>(spec: BackendSpec<Connection>, connection: Connection, signal: AbortSignal) {
  if (spec.untilReady) return spec.untilReady(connection, signal);
  await until(spec.title, () => succeeds(spec.check(connection)), { timeoutMs: 120_000, signal });
}

/** A thread that is busy when the signal arrives can still send a response. */
async function untilSuspended(pid: number): Promise<void> {
  const folder = `/proc/${pid}/task`;
  const stats = async () =>
    Promise.all((await readdir(folder)).map((thread) => readFile(path.join(folder, thread, 'stat'), 'utf8')));
  while (!(await stats()).every((stat) => stat.includes(') T '))) await delay(1);
}

async function launch(
  spec: BackendSpec<unknown>,
  launcher: Launcher,
  { dir, port, accessKey, secretKey }: Kept & { dir: string },
  { dataDir, env, signal }: StartContext,
): Promise<LongRunning> {
  await mkdir(dir, { recursive: true });
  await launcher.cleanUp?.(dir);
  signal.throwIfAborted();
  const server = await startLongRunning({
    name: spec.name,
    ...launcher.command({ port, dir }),
    env: { ...env, ...spec.environment?.({ accessKey, secretKey }) },
    stateDir: dataDir,
    graceMs: 30_000,
  });
  return { ...server, stop: () => server.stop().then(() => launcher.cleanUp?.(dir)) };
}

async function failure(server: LongRunning): Promise<never> {
  const how = await server.exited;
  throw new Error(`${server.name} ended while it started (${how}):\n${await server.lastLines(10)}`);
}
