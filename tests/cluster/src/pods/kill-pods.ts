import { setTimeout as sleep } from 'node:timers/promises';
import { crashPod } from './crash-pod.js';
import { isReady } from '../tools/kubectl.js';
import { PLATFORM_PODS } from '../context.js';
import type { TestRun } from '../test-run.js';

/**
 * Repeatedly removes a random pod whose deployment has another ready pod.
 * @param how `delete` the pod gracefully, or `crash` its process
 */
export function startKilling(
  { kubectl, signal, report }: TestRun,
  options: { everyMs: number; how: 'delete' | 'crash' },
) {
  const stopping = new AbortController();
  let killed = 0;

  const killOne = async () => {
    const ready = (await kubectl.pods(PLATFORM_PODS)).filter(isReady);
    const deploymentOf = (name: string) => name.split('-').slice(0, -2).join('-');
    const candidates = ready
      .map(({ metadata }) => metadata.name)
      .filter((name, _, names) => names.some((other) => other !== name && deploymentOf(other) === deploymentOf(name)));
    const victim = candidates[Math.floor(Math.random() * candidates.length)];
    if (victim === undefined) return;
    if (options.how === 'crash') await crashPod(kubectl, victim);
    else await kubectl.run('delete', 'pod', victim, '--wait=false');
    killed += 1;
    report.progress('killed', victim);
  };
  const loop = async () => {
    while (!stopping.signal.aborted && !signal.aborted) {
      await killOne();
      await sleep(options.everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const end = loop();
  end.catch(() => undefined);
  return {
    /** Resolves with the number of removed pods. */
    async stop(): Promise<number> {
      stopping.abort();
      await end;
      if (killed === 0) throw new Error('no pod was killed: no deployment had two ready pods');
      return killed;
    },
  };
}
