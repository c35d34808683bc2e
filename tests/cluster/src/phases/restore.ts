import { until } from '@dtplatform/stack';
import { SERVICE_NAMES } from '../context.js';
import type { TestRun } from '../test-run.js';
import { RELEASE, seconds } from '../tools/helm.js';
import { deploy, upgradeWith } from '../deploy.js';
import { createBusyData } from '../restore/busy-data.js';
import { createQuietData } from '../restore/quiet-data.js';

/** A minute, plus the controller's delay. */
const SCHEDULED_MS = 90_000;
const STORAGE = { size: '1Gi' };
const BACKENDS = ['mongodb', 'redis', 's3'];

/** Backs up under load, uninstalls the platform with all data, installs it again and restores: everything is there. */
export async function restore(run: TestRun): Promise<void> {
  const { uninterrupted, report } = run;
  const quiet = await createQuietData(run);
  const busy = await createBusyData(run);
  await upgradeWith(run, { values: { backup: { enabled: true, storage: STORAGE } } });
  try {
    await busy.during(() => makeBackup(run));
    const gone = await seconds(() => removeAll(run));
    report.ready('restore', `the platform and its data were removed in ${gone.toFixed(1)} s`);
    await restoreBackup(run);
    const took = await upgradeWith(run);
    report.ready('restore', `services are ready again after ${took.toFixed(1)} s`);
    report.ready('restore', await busy.verify());
    report.ready('restore', `after a new sign-in, as before: ${await quiet.verify()}`);
  } finally {
    await uninterrupted.run('delete', 'pvc/backup', '--ignore-not-found', '--wait=false');
  }
}

/** Waits for the CronJob, scheduled every minute until it has started a backup. */
async function makeBackup({ kubectl, signal, report }: TestRun): Promise<void> {
  const patch = (spec: object) => kubectl.run('patch', 'cronjob/backup', '--patch', JSON.stringify({ spec }));
  let job = '';
  await patch({ schedule: '* * * * *' });
  await until(
    'the CronJob begins a backup',
    async () => {
      job = await kubectl.run('get', 'cronjob/backup', '--output=jsonpath={.status.active[0].name}');
      return job !== '';
    },
    { timeoutMs: SCHEDULED_MS, everyMs: 500, signal },
  );
  await patch({ suspend: true });
  await kubectl.run('wait', `job/${job}`, '--for=condition=complete', '--timeout=300s');
  report.ready('backup', lastLines(await kubectl.run('logs', `job/${job}`)));
}

/** Including the volumes of the backends, which may be gone already, but not that of the backups. */
async function removeAll({ kubectl, helm }: TestRun): Promise<void> {
  await helm.run('uninstall', RELEASE, '--wait', '--timeout', '5m');
  await kubectl.run(
    'delete',
    ...BACKENDS.map((name) => `pvc/data-${name}-0`),
    '--ignore-not-found',
    '--wait',
    '--timeout=120s',
  );
}

/** Installs the platform without its services, but with the Job. */
async function restoreBackup(run: TestRun): Promise<void> {
  const { kubectl, report } = run;
  const off = Object.fromEntries(SERVICE_NAMES.map((name) => [name, { enabled: false }]));
  const values = { ...off, backup: { storage: STORAGE, restore: { enabled: true } } };
  const took = await deploy(run, 'install', { values, args: ['--wait-for-jobs'] });
  const selector = 'app.kubernetes.io/name=backup,app.kubernetes.io/component=restore';
  report.ready('restore', lastLines(await kubectl.run('logs', '--selector', selector, '--tail=6')));
  report.ready('restore', `installation and restore took ${took.toFixed(1)} s`);
}

/** The result, after the progress lines, which start with a time. */
const lastLines = (log: string): string =>
  log
    .split('\n')
    .filter((line) => line !== '' && !/^\d{4}-\d\d-\d\dT/.test(line))
    .join('; ');
