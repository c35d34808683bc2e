import { runTour } from '@dtplatform/stack';
import { TAGS } from '../context.js';
import { deploy, upgradeWith } from '../deploy.js';
import { underLoad } from '../load/load.js';
import type { TestRun } from '../test-run.js';
import { RELEASE, seconds } from '../tools/helm.js';

/** Installs the platform with its backends and waits until everything is ready. */
export async function install(run: TestRun): Promise<void> {
  const took = await deploy(run, 'install');
  run.report.ready('install', `ready after ${took.toFixed(1)} s`);
}

/** Runs the charts' test pods. */
export async function helmTest({ helm, report }: TestRun): Promise<void> {
  await helm.run('test', RELEASE, '--timeout', '5m');
  report.ready('helm test', 'passed');
}

/** Runs the tour from outside the cluster. */
export async function tour({ dev, signal }: TestRun): Promise<void> {
  await runTour({ dev, signal, write: console.log });
}

/** Upgrades two replicas of each service under load. No request may fail, no acknowledged write may be lost. */
export const upgrade = (run: TestRun): Promise<void> =>
  underLoad(run, { what: 'upgrade', mayFail: false }, async () => {
    const took = await upgradeWith(run, { tag: TAGS.second });
    run.report.ready('upgrade', `took ${took.toFixed(1)} s`);
  });

/** Rolls back to the previous version under load. No request may fail, no acknowledged write may be lost. */
export const rollback = (run: TestRun): Promise<void> =>
  underLoad(run, { what: 'rollback', mayFail: false }, async () => {
    const took = await seconds(() => run.helm.run('rollback', RELEASE, '--wait', '--timeout', '10m'));
    run.report.ready('rollback', `took ${took.toFixed(1)} s`);
  });

export async function uninstall({ helm, kubectl, options, report }: TestRun): Promise<void> {
  await helm.run('uninstall', RELEASE, '--wait', '--timeout', '5m');
  await kubectl.run('delete', 'namespace', options.namespace, '--wait', '--timeout=120s');
  report.ready('uninstall', 'release and namespace are gone');
}
