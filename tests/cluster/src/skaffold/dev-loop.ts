import path from 'node:path';
import { until } from '@dtplatform/stack';
import { answer, TEXT, TEXT_SOURCE, untilAnswered } from './answer.js';
import { nothingIsLeft } from './leftovers.js';
import { expectReplaced, settledPods } from './pods.js';
import type { SkaffoldRun } from './prepare.js';
import type { Session } from './session.js';

const MAIN = 'services/itemsvc/src/main.ts';
const LIBRARY = 'libs/object-store/src/index.ts';
const USERS_OF_LIBRARY = ['filesvc', 'graphicssvc'];

/** Changes code while `skaffold dev` runs, as a developer does: correctly, with a typo, with a crash, in a library. */
export async function devLoop(run: SkaffoldRun): Promise<void> {
  const startMs = performance.now();
  const session = run.start('dev');
  try {
    await untilAnswered(run, TEXT);
    await settledPods(run);
    run.report.ready('dev', `installed and ready after ${since(startMs)}`);
    await changeOneLine(run, { from: TEXT, to: 'First change.' });
    await changeOneLine(run, { from: 'First change.', to: 'Second change.' });
    await doNotCompile(run, session);
    await crash(run, session);
    await changeLibrary(run);
  } finally {
    await session.stop();
  }
  await nothingIsLeft(run, 'dev');
}

/** The time from saving a file until the new code responds, and the replaced pods. */
async function changeOneLine(run: SkaffoldRun, { from, to }: { from: string; to: string }) {
  const before = await settledPods(run);
  const savedMs = await run.workspace.change(TEXT_SOURCE, from, to);
  const seconds = ((await untilAnswered(run, to)) - savedMs) / 1000;
  expectReplaced(['itemsvc'], before, await settledPods(run));
  run.report.ready('one line', `${seconds.toFixed(1)} s until the new code answers; only pods of itemsvc are replaced`);
}

/** A typo is reported, and the pods stay. */
async function doNotCompile(run: SkaffoldRun, session: Session): Promise<void> {
  const before = await settledPods(run);
  const from = session.lines.length;
  await run.workspace.change(TEXT_SOURCE, 'Second change.', `Second' change.`);
  await session.line('the build fails', /Skipping test and deploy due to build error/, { from });
  if (!session.lines.slice(from).some((line) => line.includes(path.basename(TEXT_SOURCE))))
    throw new Error('skaffold does not say which file does not compile');
  if (!(await answer(run)).includes('Second change.')) throw new Error('itemsvc does not answer after a typo');
  expectReplaced([], before, await settledPods(run));
  await run.workspace.change(TEXT_SOURCE, `Second' change.`, 'Third change.');
  await untilAnswered(run, 'Third change.');
  run.report.ready('typo', 'shown, pods stayed; the loop continues with the next change');
}

/** Code that crashes never replaces the running pod. */
async function crash(run: SkaffoldRun, session: Session): Promise<void> {
  await settledPods(run);
  const from = session.lines.length;
  const line = `throw new Error('crash of the test');\n`;
  const start = `import`;
  await run.workspace.change(MAIN, start, `${line}${start}`);
  await session.line('the crash is shown', /crash of the test/, { from });
  const crashes = async () => (await run.kubectl.pods('app.kubernetes.io/name=itemsvc')).some(hasCrashed);
  await until('the new pod crashes', crashes, { timeoutMs: 120_000, everyMs: 500, signal: run.signal });
  if (!(await answer(run)).includes('Third change.')) throw new Error('the old pod does not answer after a crash');
  await run.workspace.change(MAIN, line, '');
  const savedMs = await run.workspace.change(TEXT_SOURCE, 'Third change.', 'Fourth change.');
  const seconds = ((await untilAnswered(run, 'Fourth change.')) - savedMs) / 1000;
  await settledPods(run);
  run.report.ready('crash', `shown, the old pod kept answering; mended after ${seconds.toFixed(1)} s`);
}

const hasCrashed = ({ status }: { status: { containerStatuses?: { restartCount: number }[] } }) =>
  status.containerStatuses?.some(({ restartCount }) => restartCount > 0) === true;

/** A changed library reaches the services that use it, and no others. */
async function changeLibrary(run: SkaffoldRun): Promise<void> {
  const before = await settledPods(run);
  const savedMs = await run.workspace.change(LIBRARY, 'export', `export const changed = true;\nexport`);
  const isReplaced = async () => {
    const now = await run.kubectl.pods(
      `app.kubernetes.io/name in (${USERS_OF_LIBRARY.join(',')}),app.kubernetes.io/component in (api,worker)`,
    );
    return now.every(({ metadata }) => !before.some((old) => old.metadata.name === metadata.name));
  };
  await until('the services have the library', isReplaced, { timeoutMs: 300_000, everyMs: 500, signal: run.signal });
  const took = since(savedMs);
  expectReplaced(USERS_OF_LIBRARY, before, await settledPods(run));
  run.report.ready('library', `${took} until all pods of ${USERS_OF_LIBRARY.join(' and ')} are replaced, and no other`);
}

const since = (startMs: number): string => `${((performance.now() - startMs) / 1000).toFixed(1)} s`;
