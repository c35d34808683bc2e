import { runTour } from '@dtplatform/stack';
import { createActions, createLedger, createLoadUser } from '@dtplatform/bench/callers';
import { PLATFORM_PODS, TAGS } from '../context.js';
import { underLoad } from '../load/load.js';
import { untilAllReady } from '../pods/all-ready.js';
import { writeJson, type TestRun } from '../test-run.js';
import { seconds } from '../tools/helm.js';
import { restartsOf } from '../tools/kubectl.js';
import { upgradeWith } from '../deploy.js';

const SERVICE = 'filesvc';

/**
 * A team takes its service out of the platform's release, installs, upgrades and rolls back its own chart, and returns
 * the service. The pods of the other services must not change.
 */
export async function oneService(run: TestRun): Promise<void> {
  await upgradeWith(run);
  await untilAllReady(run);
  const checkStored = await useOnce(run);
  const checkOthers = await watchOthers(run);

  const team = await takeOut(run);
  await checkOthers('its own installation');
  await runTour({ dev: run.dev, signal: run.signal, write: console.log });
  await run.helm.run('test', SERVICE, '--timeout', '5m');
  await upgradeAndRollBack(run, team);
  await checkOthers('its own upgrade and rollback');

  await giveBack(run);
  await checkOthers('its return');
  run.report.ready('one service', `${await checkStored()} writes from before are all present`);
  await runTour({ dev: run.dev, signal: run.signal, write: console.log });
}

async function takeOut(run: TestRun): Promise<string> {
  const values = await teamValues(run);
  const without = { [SERVICE]: { enabled: false }, installedAlone: [SERVICE] };
  const upgraded = await upgradeWith(run, { values: without });
  const installed = await run.helm.apply('install', SERVICE, [values]);
  await untilAllReady(run);
  const took = `upgrade without it took ${upgraded.toFixed(1)} s, its own installation ${installed.toFixed(1)} s`;
  run.report.ready('one service', `${SERVICE} has its own release: ${took}`);
  return values;
}

/** The platform's values that the team needs: the global part, and the service's. */
async function teamValues(run: TestRun): Promise<string> {
  const { global, [SERVICE]: own } = run.values({ tag: TAGS.first, replicas: 2 });
  return writeJson(run, SERVICE, { ...own, global });
}

const upgradeAndRollBack = (run: TestRun, values: string): Promise<void> =>
  underLoad(run, { what: 'one service', mayFail: false }, async () => {
    const upgraded = await run.helm.apply(
      'upgrade',
      SERVICE,
      [values],
      '--set-string',
      `global.image.tag=${TAGS.second}`,
    );
    await untilAllReady(run);
    const back = await seconds(() => run.helm.run('rollback', SERVICE, '--wait', '--timeout', '10m'));
    await untilAllReady(run);
    run.report.ready('one service', `upgrade took ${upgraded.toFixed(1)} s, rollback ${back.toFixed(1)} s`);
  });

async function giveBack(run: TestRun): Promise<void> {
  const took = await seconds(async () => {
    await run.helm.run('uninstall', SERVICE, '--wait', '--timeout', '5m');
    await upgradeWith(run);
  });
  await untilAllReady(run);
  run.report.ready('one service', `${SERVICE} is back in the release of the platform, after ${took.toFixed(1)} s`);
}

/** Records the pods of the other services. The resolved function rejects once one differs. */
async function watchOthers({ kubectl, report }: TestRun) {
  const others = async () => {
    const pods = await kubectl.pods(PLATFORM_PODS);
    return pods
      .filter(({ metadata }) => metadata.labels['app.kubernetes.io/name'] !== SERVICE)
      .map((pod) => `${pod.metadata.name} (${restartsOf(pod)} restarts)`);
  };
  const before = await others();
  return async (what: string): Promise<void> => {
    const now = await others();
    const changed = [...now.filter((pod) => !before.includes(pod)), ...before.filter((pod) => !now.includes(pod))];
    if (changed.length > 0) throw new Error(`${what} changed pods of other services: ${changed.join(', ')}`);
    report.ready('one service', `${what}: the ${now.length} pods of the other services are the same`);
  };
}

/** Uses each service once. The resolved function rejects if something that was written then is lost. */
async function useOnce({ dev, signal }: TestRun): Promise<() => Promise<number>> {
  const user = await createLoadUser(dev, signal);
  const ledger = createLedger(user);
  for (const [, use] of createActions(dev, user, ledger)) await use();
  return () => ledger.verify();
}
