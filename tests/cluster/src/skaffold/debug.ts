import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isReady, restartsOf } from '../tools/kubectl.js';
import { untilAnswered } from './answer.js';
import { attach, Disconnected, type Inspector } from './inspector.js';
import { nothingIsLeft } from './leftovers.js';
import { settledPods } from './pods.js';
import type { SkaffoldRun } from './prepare.js';
import type { Session } from './session.js';

/** Longer than the liveness probe tolerates: six failures, ten seconds apart. */
const PAUSE_MS = 75_000;

const FORWARDED =
  /Port forwarding pod\/(itemsvc-(?!worker|migrate)\S+) .* remote port 9229 -> (http:\/\/127\.0\.0\.1:\d+)/;

/** The handler of itemsvc's API description. */
const DESCRIPTION = '/itemsvc/api/v1/openapi.json';
const PROGRAM = 'libs/runtime/dist/document-routes.js';
const STATEMENT = 'streamed(200';

/** Attaches a debugger to itemsvc while `skaffold debug` runs, and stops it at a breakpoint. */
export async function debug(run: SkaffoldRun): Promise<void> {
  const session = run.start('debug');
  try {
    await untilAnswered(run, '"status":400');
    await settledPods(run);
    await pauseAtBreakpoint(run, session);
  } finally {
    await session.stop();
  }
  await nothingIsLeft(run, 'debug');
}

/** While pods start, Skaffold renews port forwarding with every change of their state, which detaches debuggers. */
async function pauseAtBreakpoint(run: SkaffoldRun, session: Session): Promise<void> {
  for (let from = 0; ; from = session.lines.length) {
    const [, pod, address] = await session.line('the inspector is forwarded', FORWARDED, { from });
    try {
      await pauseOnce(run, pod!, address!);
      return;
    } catch (error) {
      if (!(error instanceof Disconnected)) throw error;
      run.report.progress('debug', 'detached: its port is forwarded again');
    }
  }
}

async function pauseOnce(run: SkaffoldRun, pod: string, address: string): Promise<void> {
  const inspector = await attach(address, run.signal);
  try {
    await inspector.call('Debugger.enable');
    await inspector.call('Debugger.setBreakpointByUrl', await breakpoint(run.workspace.folder));
    const paused = inspector.event<Paused>('Debugger.paused');
    const request = fetch(new URL(DESCRIPTION, run.application.baseUrl), { signal: run.signal });
    const answeredAtOnce = request.then((): never => {
      throw new Error('the request was answered without a pause');
    });
    answeredAtOnce.catch(() => undefined);
    const place = await evaluate(inspector, await Promise.race([paused, answeredAtOnce]));
    await sleep(PAUSE_MS, undefined, { signal: run.signal });
    await expectSurvival(run, pod);
    await inspector.call('Debugger.resume');
    const { status } = await request;
    if (status !== 200) throw new Error(`after the breakpoint the request was answered with ${status}`);
    run.report.ready('debug', `paused ${PAUSE_MS / 1000} s with ${place}; ready, no restart; then the answer came`);
  } finally {
    inspector.close();
  }
}

interface Paused {
  callFrames: { callFrameId: string }[];
}
interface Evaluated {
  /** Without a value if the expression throws. */
  result: { value?: string };
}

async function evaluate(inspector: Inspector, { callFrames }: Paused): Promise<string> {
  const { callFrameId } = callFrames[0]!;
  // A variable of the program: debuggers see those that the stopped function uses.
  const expression = 'bytes.length + " bytes, in " + process.cwd()';
  const { result } = await inspector.call<Evaluated>('Debugger.evaluateOnCallFrame', { callFrameId, expression });
  if (result.value === undefined) throw new Error(`the debugger cannot evaluate ${expression}`);
  return result.value;
}

async function expectSurvival({ kubectl }: SkaffoldRun, pod: string): Promise<void> {
  const [now] = await kubectl.pods(`app.kubernetes.io/name=itemsvc,app.kubernetes.io/component=api`);
  if (now?.metadata.name !== pod || !isReady(now) || restartsOf(now) > 0)
    throw new Error(`${pod} did not survive a breakpoint`);
}

async function breakpoint(folder: string): Promise<object> {
  const lines = (await readFile(path.join(folder, PROGRAM), 'utf8')).split('\n');
  const lineNumber = lines.findIndex((line) => line.includes(STATEMENT));
  return { urlRegex: `.*/${PROGRAM}$`, lineNumber, columnNumber: lines[lineNumber]!.indexOf(STATEMENT) };
}
