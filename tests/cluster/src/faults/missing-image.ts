import { until } from '@dtplatform/stack';
import { underLoad } from '../load/load.js';
import { TAGS } from '../context.js';
import type { TestRun } from '../test-run.js';
import { upgradeWith } from '../deploy.js';
import { expectFailure } from './expect-failure.js';

const TAG = 'missing';
const NOTICED_MS = 60_000;
const PULL_FAILED = /ErrImagePull|ImagePullBackOff/;

/** While images cannot be pulled, an upgrade changes nothing, and running pods keep serving. */
export async function missingImage(run: TestRun): Promise<void> {
  try {
    await underLoad(run, { what: 'missing image', mayFail: false }, async () => {
      await upgradeFails(run);
      await newPodWaits(run);
    });
  } finally {
    await upgradeWith(run);
  }
}

async function upgradeFails(run: TestRun): Promise<void> {
  const upgrade = () => upgradeWith(run, { tag: TAG, args: ['--timeout', '45s'] });
  await expectFailure('the upgrade to an image that is missing', 'pre-upgrade hooks failed', upgrade);
  await untilPullFails(run, 'app.kubernetes.io/component=migration');
  run.report.ready('missing image', 'the upgrade stopped at its first migration');
}

async function newPodWaits(run: TestRun): Promise<void> {
  const { kubectl, uninterrupted, report, options } = run;
  const image = (tag: string) => `api=${options.registry}/dtplatform/filesvc:${tag}`;
  await kubectl.run('set', 'image', 'deployment/filesvc', image(TAG));
  try {
    await untilPullFails(run, 'app.kubernetes.io/name=filesvc,app.kubernetes.io/component=api');
  } finally {
    await uninterrupted.run('set', 'image', 'deployment/filesvc', image(TAGS.first));
    await kubectl.run('rollout', 'status', 'deployment/filesvc', '--timeout=180s');
  }
  report.ready('missing image', 'the new pod waited for its image, the old ones served');
}

function untilPullFails({ kubectl, signal }: TestRun, selector: string): Promise<void> {
  const query = '--output=jsonpath={.items[*].status.containerStatuses[*].state.waiting.reason}';
  const hasFailed = async () => PULL_FAILED.test(await kubectl.run('get', 'pods', `--selector=${selector}`, query));
  return until('an image cannot be pulled', hasFailed, { timeoutMs: NOTICED_MS, everyMs: 500, signal });
}
