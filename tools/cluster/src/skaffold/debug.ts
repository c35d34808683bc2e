import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isReady, restartsOf } from '../tools/kubectl.js';
import { descriptionUrl, untilAnswered } from './answer.js';
import { attach } from './inspector.js';
import { nothingIsLeft } from './leftovers.js';
import { settledPods } from './pods.js';
import type { SkaffoldRun } from './prepare.js';
import type { Session } from './session.js';

/** Longer than the liveness probe tolerates: six failures, ten seconds apart. */
const PAUSE_MS = 75_000;

/** What itemsvc runs for a request of its API description. */
const PROGRAM = 'libs/openapi/dist/openapi-table.js';
const STATEMENT = 'ok(document';

/** Attaches a debugger to itemsvc while `skaffold debug` runs, and stops it at a breakpoint. */
export async function debug(run: SkaffoldRun): Promise<void> {
  const session = run.start('debug');
  try {
    await untilAnswered(run, 'openapi');
    await settledPods(run);
    await pauseAtBreakpoint(run, session);
  } finally {
    await session.stop();
  }
  await nothingIsLeft(run, 'debug');
}

async function pauseAtBreakpoint(run: SkaffoldRun, session: Session): Promise<void> {
  const { workspace, kubectl, signal, report } = run;
  const forwarded =
    /Port forwarding pod\/(itemsvc-(?!worker|migrate)\S+) .* remote port 9229 -> (http:\/\/127\.0\.0\.1:\d+)/;
  const [, pod, address] = await session.line('the inspector is forwarded', forwarded);
  const inspector = await attach(address!, signal);
  try {
    await inspector.call('Debugger.enable');
    await inspector.call('Debugger.setBreakpointByUrl', await breakpoint(workspace.folder));
    const paused = inspector.event<{ callFrames: { callFrameId: string }[] }>('Debugger.paused');
    const request = fetch(descriptionUrl(run), { signal });
    const { callFrameId } = (await paused).callFrames[0]!;
    const expression = 'document.info.title + " in " + process.cwd()';
    const evaluated = await inspector.call<{ result: { value: string } }>('Debugger.evaluateOnCallFrame', {
      callFrameId,
      expression,
    });
    await sleep(PAUSE_MS, undefined, { signal });
    const [now] = await kubectl.pods(`app.kubernetes.io/name=itemsvc,app.kubernetes.io/component=api`);
    if (now === undefined || now.metadata.name !== pod || !isReady(now) || restartsOf(now) > 0)
      throw new Error(`${pod} did not survive a breakpoint`);
    await inspector.call('Debugger.resume');
    const { status } = await request;
    if (status !== 200) throw new Error(`after the breakpoint the request was answered with ${status}`);
    report.ready(
      'debug',
      `paused ${PAUSE_MS / 1000} s in ${evaluated.result.value}; ready, no restart; then the answer came`,
    );
  } finally {
    inspector.close();
  }
}

async function breakpoint(folder: string): Promise<object> {
  const lines = (await readFile(path.join(folder, PROGRAM), 'utf8')).split('\n');
  const lineNumber = lines.findIndex((line) => line.includes(STATEMENT));
  return { urlRegex: `.*/${PROGRAM}$`, lineNumber, columnNumber: lines[lineNumber]!.indexOf(STATEMENT) };
}
