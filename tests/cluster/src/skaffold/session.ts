import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { signalGroup, spawnTethered, until } from '@dtplatform/stack';

const STOP_MS = 180_000;
const LAST_LINES = 25;

/** A running `skaffold dev` or `skaffold debug`. */
export interface Session {
  /** Its output. */
  lines: readonly string[];
  /** Waits for a line printed at index `from` or later. */
  line(what: string, pattern: RegExp, options?: { from?: number; timeoutMs?: number }): Promise<RegExpExecArray>;
  /** Interrupts Skaffold like Ctrl-C, and waits until it has removed what it installed. */
  stop(): Promise<void>;
}

export interface SessionOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  /** The file with all its output. */
  log: string;
}

export function startSkaffold(program: string, args: readonly string[], options: SessionOptions): Session {
  const { cwd, env, signal } = options;
  const child = spawnTethered(program, args, { cwd, env, output: 'pipe' });
  const lines: string[] = [];
  const log = createWriteStream(options.log);
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream! }).on('line', (line) => {
      lines.push(stripVTControlCharacters(line));
      log.write(`${new Date().toISOString()} ${lines.at(-1)}\n`);
    });
  const ended = once(child, 'close').finally(() => log.end());
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));

  const find = (pattern: RegExp, from: number) => {
    for (const line of lines.slice(from)) {
      const match = pattern.exec(line);
      if (match) return match;
    }
    if (hasEnded) throw new Error(`skaffold has ended:\n${lines.slice(-LAST_LINES).join('\n')}`);
    return undefined;
  };
  return {
    lines,
    async line(what, pattern, { from = 0, timeoutMs = 300_000 } = {}) {
      let match: RegExpExecArray | undefined;
      await until(what, () => (match = find(pattern, from)) !== undefined, { timeoutMs, signal });
      return match!;
    },
    async stop() {
      signalGroup(child.pid, 'SIGINT');
      const timer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), STOP_MS);
      await ended.finally(() => clearTimeout(timer));
    },
  };
}
