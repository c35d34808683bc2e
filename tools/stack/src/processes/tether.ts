import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';

/**
 * The shell becomes the program (`exec`) and leaves a watcher behind that reads descriptor 3. Our end of that pipe
 * closes when we die, even by SIGKILL. The watcher then stops the program's process group: with SIGTERM, and with
 * SIGKILL, which includes itself, once the program has ended or 20 seconds have passed.
 */
const TETHER = `(
  trap "" TERM INT
  read _ <&3
  kill -TERM -$$
  n=100
  while kill -0 $$ && [ $n -gt 0 ]; do sleep 0.2; n=$((n - 1)); done
  kill -KILL -$$
) 2>/dev/null & exec "$@" 3<&-`;

export interface TetheredOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Destination of stdout and stderr: a pipe, or the descriptor of an open file. */
  output: 'pipe' | number;
}

/**
 * Starts a program that does not outlive this process. It has a separate process group, so Ctrl-C in the terminal
 * reaches only us and we can shut everything down in order.
 */
export function spawnTethered(command: string, args: readonly string[], options: TetheredOptions): ChildProcess {
  const stdio: StdioOptions = ['ignore', options.output, options.output, 'pipe'];
  const child = spawn('/bin/sh', ['-c', TETHER, 'tether', command, ...args], {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio,
  });
  const tether = child.stdio[3];
  tether?.on('error', () => undefined);
  alive.add(child);
  child.once('exit', () => {
    alive.delete(child);
    signalGroup(child.pid, 'SIGKILL'); // the watcher, and whatever the program left behind
    tether?.destroy();
  });
  return child;
}

const alive = new Set<ChildProcess>();

/** Sends SIGKILL to everything that is still running. */
export function killAll(): void {
  for (const child of alive) signalGroup(child.pid, 'SIGKILL');
}

/** Sends a signal to a process and its descendants in the same group; ignores a group that no longer exists. */
export function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error; // EPERM: macOS, while a group is ending
  }
}
