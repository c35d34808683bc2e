import { runCommand } from '@dtplatform/stack';

const LAST_LINES = 15;

type Context = Parameters<typeof runCommand>[2];

/** Runs a command and returns its output. If it fails, the error contains the last lines of the output. */
export async function runTool(command: string, args: readonly string[], context: Context): Promise<string> {
  const lines: string[] = [];
  const onLine = (line: string) => {
    lines.push(line);
    context.onLine?.(line);
  };
  return runCommand(command, args, { ...context, onLine }).catch((error: unknown) => {
    context.signal?.throwIfAborted();
    const reason = lines.length > 0 ? lines.slice(-LAST_LINES).join('\n') : (error as Error).message;
    throw new Error(`${command} ${args.slice(0, 4).join(' ')} … failed:\n${reason}`, { cause: error });
  });
}
