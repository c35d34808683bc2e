import { SERVICES } from '@dtplatform/stack';
import { RELEASE } from '../tools/helm.js';
import type { TestRun } from '../test-run.js';
import { upgradeWith } from '../deploy.js';
import { helmTest, tour } from './release.js';

/** An id as OpenShift assigns it, with the group of the root user, as there. */
const USER_ID = 1_000_700_000;
const ADDED = { name: 'ADDED_BY_OPERATOR', value: 'yes' };

/**
 * Runs the services and their migrations as an arbitrary user with an additional variable, tests them, and returns to the
 * default user.
 */
export async function pods(run: TestRun): Promise<void> {
  const { kubectl, helm, report } = run;
  const securityContext = { runAsUser: USER_ID, runAsGroup: 0, fsGroup: USER_ID };
  const each = { pod: { securityContext }, extraEnv: [ADDED] };
  const values = Object.fromEntries(SERVICES.map(({ name }) => [name, each]));
  const took = await upgradeWith(run, { values });
  const show = `console.log(process.getuid(), process.env.${ADDED.name})`;
  for (const { name } of SERVICES) {
    const seen = await kubectl.run('exec', `deployment/${name}`, '--', 'node', '--eval', show);
    if (seen.trim() !== `${USER_ID} ${ADDED.value}`) throw new Error(`${name} runs with "${seen.trim()}"`);
  }
  const hooks = await helm.run('get', 'hooks', RELEASE);
  const migrations = hooks.split('\n---').filter((hook) => hook.includes('kind: Job'));
  const wrong = migrations.filter((hook) => !hook.includes(`${USER_ID}`) || !hook.includes(ADDED.name));
  if (migrations.length !== SERVICES.length || wrong.length > 0)
    throw new Error(`${wrong.length} of ${migrations.length} migrations have no user id or no additional variable`);
  report.ready('pods', `all run as user ${USER_ID}, migrations included, after ${took.toFixed(0)} s`);
  await helmTest(run);
  await tour(run);
  await upgradeWith(run);
}
