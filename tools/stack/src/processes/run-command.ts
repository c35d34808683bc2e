import { createInterface } from 'node:readline';
import { signalGroup, spawnTethered } from './tether.js';

export interface CommandOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
  timeoutMs?: number;
  /** Called with each line of output. */
  onLine?: (line: string) => void;
}

/**
 * Runs a command until it exits and returns its output. On abort, it is killed with all its children. If the exit code
 * is not 0, throws the last line of output.
 */
export async function runCommand(command: string, args: readonly string[], options: CommandOptions): Promise<string> {
  options.signal?.throwIfAborted();
  const child = spawnTethered(command, args, { cwd: options.cwd, env: options.env, output: 'pipe' });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream! }).on('line', (line) => {
      lines.push(line);
      options.onLine?.(line);
    });

  const tooLong = new AbortController();
  const timeout = options.timeoutMs === undefined ? undefined : setTimeout(() => tooLong.abort(), options.timeoutMs);
  const kill = () => signalGroup(child.pid, 'SIGKILL');
  for (const signal of [options.signal, tooLong.signal]) signal?.addEventListener('abort', kill);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => {
    clearTimeout(timeout);
    options.signal?.removeEventListener('abort', kill);
  });

  options.signal?.throwIfAborted();
  if (tooLong.signal.aborted) throw new Error(`no answer within ${options.timeoutMs} ms`);
  if (code !== 0) throw new Error(lines.findLast((line) => line.trim() !== '') ?? `exit code ${code}`);
  return lines.join('\n');
}
