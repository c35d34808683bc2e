import path from 'node:path';
import { repoRoot } from '@dtplatform/stack';
import type { Context } from '../context.js';
import { runTool } from './run-tool.js';

/** Helm in one namespace. */
export interface Helm {
  /**
   * Installs or upgrades a chart as the release of its name with these value files, and waits until everything is ready.
   * Resolves with the seconds it took.
   */
  apply(verb: 'install' | 'upgrade', chart: string, values: string[], ...args: string[]): Promise<number>;
  run(...args: string[]): Promise<string>;
}

export const RELEASE = 'platform';

/** The program in HELM, or else Helm in the version of tools/go.mod, built on first use. */
export async function findHelm({ env, signal, report }: Context): Promise<string> {
  if (env.HELM) return env.HELM;
  const onLine = (line: string) => report.progress('helm', line);
  const output = await runTool(process.execPath, ['tools/programs/helm.mjs'], { cwd: repoRoot, env, signal, onLine });
  return output.split('\n').at(-1)!;
}

export function createHelm(
  program: string,
  namespace: string,
  context: { env: NodeJS.ProcessEnv; signal?: AbortSignal },
): Helm {
  const run = (...args: string[]) => runTool(program, ['--namespace', namespace, ...args], context);
  return {
    run,
    apply: (verb, chart, values, ...args) =>
      seconds(() =>
        run(
          ...[verb, chart, path.join(repoRoot, 'charts', chart), '--wait', '--timeout', '10m'],
          ...(verb === 'install' ? ['--create-namespace'] : []),
          ...values.flatMap((file) => ['--values', file]),
          ...args,
        ),
      ),
  };
}

/** Measures work, in seconds. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (performance.now() - startMs) / 1000;
}
