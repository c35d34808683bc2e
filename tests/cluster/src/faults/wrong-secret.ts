import { until } from '@dtplatform/stack';
import { underLoad } from '../load/load.js';
import type { TestRun } from '../test-run.js';
import { readFromPod } from '../tools/in-pod.js';
import { isReady, type Kubectl } from '../tools/kubectl.js';
import { upgradeWith } from '../deploy.js';
import { expectFailure } from './expect-failure.js';

const SECRET = 'wrong-secret';
const KEY = 'mongodb-url';
const URL = 'mongodb://nobody:wrong@mongodb:27017/?replicaSet=rs0&directConnection=true';
/** The migration would wait for two minutes, four times. */
const TIMEOUT = '40s';
const NOTICED_MS = 90_000;

/**
 * With credentials that a backend rejects, an upgrade stops before it changes anything, and new pods do not become
 * ready.
 */
export async function wrongSecret(run: TestRun): Promise<void> {
  const { kubectl } = run;
  const metadata = { name: SECRET };
  await kubectl.apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { [KEY]: URL } });
  try {
    await underLoad(run, { what: 'wrong secret', mayFail: false }, async () => {
      await upgradeFails(run);
      await newPodsAreNotReady(run);
    });
  } finally {
    await upgradeWith(run);
    await kubectl.run('delete', 'secret', SECRET);
  }
}

async function upgradeFails(run: TestRun): Promise<void> {
  const values = { global: { mongodb: { existingSecret: SECRET, urlKey: KEY } } };
  const upgrade = () => upgradeWith(run, { values, args: ['--timeout', TIMEOUT] });
  await expectFailure('the upgrade with a wrong secret', 'pre-upgrade hooks failed', upgrade);
  run.report.ready('wrong secret', 'the upgrade stopped at its first migration');
}

/** The secret changes without an upgrade, and the pods restart. */
async function newPodsAreNotReady({ kubectl, uninterrupted, report, signal }: TestRun): Promise<void> {
  const before = await kubectl.run('get', 'secret/dev-backends', '--output=jsonpath={.data.secret-key}');
  const patch = (value: string) =>
    uninterrupted.run('patch', 'secret/dev-backends', `--patch={"data":{"secret-key":"${value}"}}`);
  const pods = () => kubectl.pods('app.kubernetes.io/name=filesvc,app.kubernetes.io/component=api');
  const old = (await pods()).map(({ metadata }) => metadata.name);
  const isRejected = async () => {
    const added = (await pods()).find(({ metadata }) => !old.includes(metadata.name));
    return added !== undefined && (await checksOf(kubectl, added.metadata.name)).s3 === 'failing';
  };
  await patch(Buffer.from('wrong').toString('base64'));
  try {
    await kubectl.run('rollout', 'restart', 'deployment/filesvc');
    await until('S3 refuses the new pod', isRejected, { timeoutMs: NOTICED_MS, everyMs: 500, signal });
    const ready = (await pods()).filter(isReady).map(({ metadata }) => metadata.name);
    if (ready.toSorted().join() !== old.toSorted().join())
      throw new Error(`${ready.join(', ')} are ready, not ${old.join(', ')}`);
  } finally {
    await patch(before);
  }
  await kubectl.run('rollout', 'restart', 'deployment/filesvc');
  await kubectl.run('rollout', 'status', 'deployment/filesvc', '--timeout=180s');
  report.ready('wrong secret', 'the new pod did not become ready, the old ones served');
}

/** The readiness checks of a pod; empty before it listens. */
async function checksOf(kubectl: Kubectl, pod: string): Promise<Record<string, string>> {
  const program = `console.log(await (await fetch('http://127.0.0.1:9090/readyz')).text());`;
  const readiness = readFromPod<{ checks: Record<string, string> }>(kubectl, pod, program);
  return readiness.then(
    ({ checks }) => checks,
    () => ({}),
  );
}
