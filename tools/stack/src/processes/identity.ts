import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Proves in a later run that a process id still belongs to the same process. */
export interface ProcessIdentity {
  pid: number;
  /** Start time as reported by the system; a reused id has a different one. */
  startedAt: string;
}

export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startTimeFromProc(pid) : startTimeFromPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export const isAlive = (known: ProcessIdentity): boolean => identify(known.pid)?.startedAt === known.startedAt;

/** The command line with its arguments joined by spaces; undefined if the process does not exist. */
export function commandLine(pid: number): string | undefined {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      : ps(pid, 'command=');
  } catch {
    return undefined;
  }
}

/** proc(5): after the program's name in brackets come the state and, as the 20th field from there, the start time. */
function startTimeFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : rest[18];
  } catch {
    return undefined;
  }
}

function startTimeFromPs(pid: number): string | undefined {
  try {
    return ps(pid, 'lstart=') || undefined;
  } catch {
    return undefined;
  }
}

const ps = (pid: number, column: string): string =>
  execFileSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8' }).trim();
