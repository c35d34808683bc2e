import path from 'node:path';
import { repoRoot } from '@dtplatform/stack';
import { runTool } from './run-tool.js';

/** Helm with the chart of the whole platform, as one release in one namespace. */
export interface Helm {
  /** Installs or upgrades with these value files and waits until all is ready; seconds that it took. */
  apply(verb: 'install' | 'upgrade', values: string[], ...args: string[]): Promise<number>;
  run(...args: string[]): Promise<string>;
}

export const RELEASE = 'platform';
const CHART = path.join(repoRoot, 'charts/platform');

export function createHelm(
  program: string,
  namespace: string,
  context: { env: NodeJS.ProcessEnv; signal?: AbortSignal },
): Helm {
  const run = (...args: string[]) => runTool(program, ['--namespace', namespace, ...args], context);
  return {
    run,
    apply: (verb, values, ...args) =>
      seconds(() =>
        run(
          ...[verb, RELEASE, CHART, '--wait', '--timeout', '10m'],
          ...(verb === 'install' ? ['--create-namespace'] : []),
          ...values.flatMap((file) => ['--values', file]),
          ...args,
        ),
      ),
  };
}

/** How long some work takes. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (performance.now() - startMs) / 1000;
}
