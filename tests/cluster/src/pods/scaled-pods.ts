import { until } from '@dtplatform/stack';
import type { TestRun } from '../test-run.js';
import { seconds } from '../tools/helm.js';
import { isReady } from '../tools/kubectl.js';

const TIMEOUT_MS = 300_000;

export interface Component {
  service: string;
  component: 'api' | 'worker';
}

const podsOf = ({ kubectl }: TestRun, { service, component }: Component) =>
  kubectl.pods(`app.kubernetes.io/name=${service},app.kubernetes.io/component=${component}`);

/** Names of the ready pods of a component. */
export const readyPods = async (run: TestRun, of: Component): Promise<string[]> =>
  (await podsOf(run, of)).filter(isReady).map(({ metadata }) => metadata.name);

/** Waits until an autoscaler has added pods and they are ready. Resolves with the seconds that it took. */
export const untilAdded = (run: TestRun, of: Component, count: number): Promise<number> =>
  waitFor(run, `${count} pods of ${of.service} are ready`, async () => (await readyPods(run, of)).length >= count);

/** Waits until an autoscaler has removed pods and they have ended. Resolves with the seconds that it took. */
export const untilRemoved = (run: TestRun, of: Component, count: number): Promise<number> =>
  waitFor(run, `${of.service} is back to ${count} pods`, async () => (await podsOf(run, of)).length <= count);

const waitFor = ({ signal }: TestRun, what: string, isSo: () => Promise<boolean>) =>
  seconds(() => until(what, isSo, { timeoutMs: TIMEOUT_MS, everyMs: 1000, signal }));
