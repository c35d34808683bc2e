import { setTimeout as sleep } from 'node:timers/promises';
import { crash } from './crash.js';
import { isReady } from './tools/kubectl.js';
import { PLATFORM_PODS } from './context.js';
import type { Surroundings } from './surroundings.js';

/**
 * Ends a random pod again and again, each time one of a deployment that has another one ready.
 * @param how `delete` it, in order, or `crash` its process, without warning
 */
export function startKilling(
  { kubectl, signal, report }: Surroundings,
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
    if (options.how === 'crash') await crash(kubectl, victim);
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
    /** Stops; how many pods were ended. */
    async stop(): Promise<number> {
      stopping.abort();
      await end;
      if (killed === 0) throw new Error('no pod was ended: there was none that another one stood beside');
      return killed;
    },
  };
}
