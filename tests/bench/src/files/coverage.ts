import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { repoRoot } from '@dtplatform/stack';
import { WebSocket } from 'undici';

/** Time for work after a response, such as its log line. */
const SETTLED_MS = 100;
/** A dead process never responds. */
const ANSWERED_MS = 30_000;
const ROOT = pathToFileURL(`${repoRoot}/`).href;
/** A compiled file of a service or a library; each comes from one source file. */
const COMPILED = /^((?:services|libs)\/[^/]+)\/dist\/(.+)\.js$/;

interface Script {
  url: string;
  functions: { ranges: { count: number }[] }[];
}

/** The files that a process runs through. */
export interface Coverage {
  /** The source files of services and libraries in which a function ran during the work or right after it. */
  filesOf(work: () => Promise<unknown>): Promise<string[]>;
  close(): void;
}

/** @param port of the inspector of a process, which then counts the calls of every function */
export async function coverageOf(port: number): Promise<Coverage> {
  const targets = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await targets.json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target!.webSocketDebuggerUrl);
  await once(socket, 'open');

  async function call(method: string, params = {}): Promise<{ result: Script[] }> {
    socket.send(JSON.stringify({ id: 1, method, params }));
    const signal = AbortSignal.timeout(ANSWERED_MS);
    const [{ data }] = (await once(socket, 'message', { signal })) as [{ data: string }];
    const { result, error } = JSON.parse(data) as { result: { result: Script[] }; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** The calls since the previous take. */
  const take = async () => (await call('Profiler.takePreciseCoverage')).result.filter(hasRun).flatMap(sourceOf);

  await call('Profiler.enable');
  await call('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    async filesOf(work) {
      await sleep(SETTLED_MS);
      await take();
      await work();
      await sleep(SETTLED_MS);
      return take();
    },
    close: () => socket.close(),
  };
}

const hasRun = ({ functions }: Script): boolean => functions.some(({ ranges }) => ranges[0]!.count > 0);
function sourceOf({ url }: Script): string[] {
  const [, part, file] = COMPILED.exec(url.replace(ROOT, '')) ?? [];
  return file === undefined ? [] : [`${part}/src/${file}.ts`];
}
