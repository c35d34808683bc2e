import { crashPod } from '../pods/crash-pod.js';
import { underLoad, UNANSWERED } from '../load/load.js';
import type { TestRun } from '../test-run.js';
import { isReady } from '../tools/kubectl.js';
import { untilAllReady } from '../pods/all-ready.js';

const HOG = 'for (const hog = []; ; ) hog.push(Buffer.alloc(16 * 1024 * 1024, 1))';
const VICTIMS = [
  ['filesvc', 'api'],
  ['itemsvc', 'worker'],
] as const;

/** A process that exceeds its container's memory limit is killed and restarts. No acknowledged write is lost. */
export const outOfMemory = (run: TestRun): Promise<void> =>
  underLoad(run, { what: 'out of memory', mayFail: UNANSWERED }, async () => {
    for (const [service, component] of VICTIMS) {
      const selector = `app.kubernetes.io/name=${service},app.kubernetes.io/component=${component}`;
      const pod = (await run.kubectl.pods(selector)).find(isReady);
      if (pod === undefined) throw new Error(`${service} has no ready ${component}`);
      await crashPod(run.kubectl, pod.metadata.name, HOG);
      await expectKilled(run, pod.metadata.name);
    }
    await untilAllReady(run);
  });

async function expectKilled({ kubectl, report }: TestRun, pod: string): Promise<void> {
  const last = '.status.containerStatuses[0].lastState.terminated';
  const seen = await kubectl.run('get', 'pod', pod, `--output=jsonpath={${last}.reason} {${last}.exitCode}`);
  if (seen !== 'OOMKilled 137') throw new Error(`${pod} ended with ${seen}, not with OOMKilled 137`);
  report.ready('out of memory', `${pod}: ${seen}, started again`);
}
