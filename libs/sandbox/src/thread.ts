import { Worker } from 'node:worker_threads';
import { JsonRejected, parseJson } from '@dtplatform/contracts';
import type { ScriptLimits } from './limits.js';
import type { Script, ScriptOutcome } from './script.js';
import { ScriptError } from './script-error.js';
import type { ScriptErrorCode } from './script-error.js';
import { SHOW_VALUE } from './show-value.js';

/** QuickJS ends slow scripts itself; a thread that does not respond for this much longer is terminated. */
const GRACE_MS = 1_000;
/** For the thread itself, besides QuickJS's memory. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };
const PROGRAM = new URL('./sandbox-thread.js', import.meta.url);

interface Work extends Script {
  inputs: string[];
  limits: ScriptLimits;
}
/** `isLast`: the thread does not continue with the next input. */
type Message = 'started' | (({ json: string } | { code: ScriptErrorCode; message: string }) & { isLast: boolean });

export interface Thread {
  /** The outcomes of the first inputs: up to the one that ended the thread or reached a limit of the run. */
  run(work: Work, signal?: AbortSignal): Promise<ScriptOutcome[]>;
  isUsable(): boolean;
  end(): Promise<void>;
}

/** Starts a thread for scripts. It has no environment and does not keep the process alive. */
export function startThread(): Thread {
  const workerData = { showValue: SHOW_VALUE };
  const worker = new Worker(PROGRAM, { env: {}, execArgv: [], argv: [], workerData, resourceLimits: RESOURCE_LIMITS });
  let isUsable = true;
  worker.on('exit', () => (isUsable = false));
  worker.on('error', () => (isUsable = false));
  worker.unref();

  function end(): Promise<void> {
    isUsable = false;
    return worker.terminate().then(() => undefined);
  }

  return {
    isUsable: () => isUsable,
    end,
    run: ({ inputs, limits, ...script }, signal) =>
      new Promise((resolve, reject) => {
        const outcomes: ScriptOutcome[] = [];
        let watchdog: NodeJS.Timeout | undefined;

        const watch = () => {
          clearTimeout(watchdog);
          watchdog = setTimeout(() => giveUp(timedOut(limits)), limits.timeoutMs + GRACE_MS);
        };
        const finish = (settle: () => void) => {
          clearTimeout(watchdog);
          worker.off('message', onMessage).off('error', onError).off('exit', onExit).unref();
          signal?.removeEventListener('abort', onAbort);
          settle();
        };
        /** Terminates the thread because of its current input. */
        const giveUp = (error: ScriptError) => {
          outcomes.push({ error });
          finish(() => resolve(outcomes));
          void end();
        };
        const onMessage = (message: Message) => {
          if (message !== 'started') outcomes.push(outcomeOf(message));
          if (message !== 'started' && message.isLast) finish(() => resolve(outcomes));
          else watch();
        };
        const onError = (error: Error) => {
          isUsable = false;
          const isMemory = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
          if (isMemory) giveUp(new ScriptError('OUT_OF_MEMORY', 'The script uses too much memory.'));
          else finish(() => reject(error));
        };
        const onExit = () => finish(() => reject(new Error('The sandbox thread has ended.')));
        const onAbort = () => {
          finish(() => reject(signal!.reason as Error));
          void end();
        };

        worker.on('message', onMessage).on('error', onError).on('exit', onExit).ref();
        signal?.addEventListener('abort', onAbort);
        worker.postMessage({ ...script, inputs, limits });
      }),
  };
}

const timedOut = ({ timeoutMs }: ScriptLimits) =>
  new ScriptError('TIMED_OUT', `The script took longer than ${timeoutMs} ms.`);

function outcomeOf(message: Exclude<Message, 'started'>): ScriptOutcome {
  if ('code' in message) return { error: new ScriptError(message.code, message.message) };
  try {
    return { value: parseJson(message.json) };
  } catch (error) {
    if (!(error instanceof JsonRejected)) throw error;
    return { error: new ScriptError('NOT_STORABLE', `The result of the script ${error.message}.`) };
  }
}
