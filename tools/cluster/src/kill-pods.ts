import { setTimeout as sleep } from 'node:timers/promises';
import { isReady } from './tools/kubectl.js';
import { PLATFORM_PODS } from './context.js';
import type { Surroundings } from './surroundings.js';

/**
 * Deletes a random pod again and again, each time one of a deployment that has another one ready.
 * @param force without warning: the process is killed
 */
export function startKilling({ kubectl, signal, report }: Surroundings, options: { everyMs: number; force: boolean }) {
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
    const how = options.force ? ['--grace-period=0', '--force'] : [];
    await kubectl.run('delete', 'pod', victim, '--wait=false', ...how);
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
    /** Ends it; how many pods it has deleted. */
    async stop(): Promise<number> {
      stopping.abort();
      await end;
      if (killed === 0) throw new Error('no pod was deleted: there was none that another one stood beside');
      return killed;
    },
  };
}
