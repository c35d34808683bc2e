import { createInterface } from 'node:readline';
import { signalGroup, spawnTethered } from './tether.js';

export interface CommandOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
  timeoutMs?: number;
  /** Called with each line of output, for progress. */
  onLine?: (line: string) => void;
}

/** A command that ended with another code than 0; the message ends with the last line of what it said. */
export class CommandFailed extends Error {}

/** Runs a command to its end and returns its output. When `signal` is aborted, it is killed with all its children. */
export async function runCommand(command: string, args: readonly string[], options: CommandOptions): Promise<string> {
  options.signal?.throwIfAborted();
  const child = spawnTethered(command, args, { cwd: options.cwd, env: options.env, output: 'pipe' });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream! }).on('line', (line) => {
      lines.push(line);
      options.onLine?.(line);
    });

  const stopped = AbortSignal.any([
    ...(options.signal === undefined ? [] : [options.signal]),
    ...(options.timeoutMs === undefined ? [] : [AbortSignal.timeout(options.timeoutMs)]),
  ]);
  const kill = () => signalGroup(child.pid, 'SIGKILL');
  stopped.addEventListener('abort', kill);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => stopped.removeEventListener('abort', kill));

  options.signal?.throwIfAborted();
  if (stopped.aborted) throw new CommandFailed(`no answer within ${options.timeoutMs} ms`);
  if (code !== 0) throw new CommandFailed(lines.findLast((line) => line.trim() !== '') ?? `exit code ${code}`);
  return lines.join('\n');
}
