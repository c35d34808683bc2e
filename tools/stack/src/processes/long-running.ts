import { closeSync, openSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { forget, remember } from './leftovers.js';
import { lastLines } from './last-lines.js';
import { signalGroup, spawnTethered } from './tether.js';

export interface ProcessSpec {
  /** For the report, the log and the record. */
  name: string;
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Contains the log, `logs/<name>.log`, and the record for a later start, `run/<name>.json`. */
  stateDir: string;
  /** Time between SIGTERM and SIGKILL. */
  graceMs?: number;
}

export interface LongRunning {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves with how the process ended (`exit code 1`, `SIGKILL`). */
  readonly exited: Promise<string>;
  hasExited: () => boolean;
  /** The last lines of its log since this start. */
  lastLines: (count: number) => Promise<string>;
  /** Sends SIGTERM, and SIGKILL after the grace period. */
  stop: () => Promise<void>;
  kill: () => void;
}

/** Starts a process that serves until it is stopped; logs its output to a file. */
export async function startLongRunning(spec: ProcessSpec): Promise<LongRunning> {
  const logFile = path.join(spec.stateDir, 'logs', `${spec.name}.log`);
  await mkdir(path.dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'w');
  const child = spawnTethered(spec.command, spec.args, { cwd: spec.cwd, env: spec.env, output: log });
  closeSync(log);

  let ended = false;
  const exited = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      ended = true;
      forget(spec.stateDir, spec.name);
      resolve(signal ?? `exit code ${code}`);
    });
  });
  const { pid } = child;
  if (pid === undefined) return exited.then(() => Promise.reject(new Error(`${spec.name} did not start`)));
  remember(spec.stateDir, { name: spec.name, command: spec.command, pid });

  return {
    name: spec.name,
    pid,
    logFile,
    exited,
    hasExited: () => ended,
    lastLines: (count) => lastLines(logFile, count),
    async stop() {
      if (ended) return;
      signalGroup(pid, 'SIGTERM');
      const inTime = new AbortController();
      const grace = sleep(spec.graceMs ?? 10_000, undefined, { signal: inTime.signal }).catch(() => undefined);
      await Promise.race([exited, grace]);
      inTime.abort();
      signalGroup(pid, 'SIGKILL');
      await exited;
    },
    kill: () => signalGroup(pid, 'SIGKILL'),
  };
}
