import { DEFAULT_LIMITS } from './limits.js';
import type { ScriptLimits } from './limits.js';
import type { Script, ScriptOutcome } from './script.js';
import { startThread } from './thread.js';
import type { Thread } from './thread.js';
import { createTurns } from './turns.js';

export interface SandboxOptions {
  /** Number of concurrent scripts; others wait. Each takes a thread with about 20 MiB. Default 1. */
  threads?: number;
  limits?: Partial<ScriptLimits>;
}

interface RunOptions {
  signal?: AbortSignal;
  /** The owner of the script. Owners take turns, and none gets all threads if there are several. */
  owner?: string;
  /** Called once it is the script's turn. */
  onStart?: () => void;
}

export interface Sandbox {
  /**
   * Calls the function of a script once per input, each time in a fresh environment without any state of earlier calls.
   * Ends early at a limit of a run. Scripts have no modules, timers, network or files. Never blocks the calling thread.
   * @param inputs JSON
   * @returns outcomes of the first inputs, at least of one, in order
   * @throws Error when a thread does not start, and the reason of the signal
   */
  run(script: Script, inputs: readonly string[], options?: RunOptions): Promise<ScriptOutcome[]>;
  /** Ends all threads. Running scripts reject. */
  close(): Promise<void>;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Runs callers' scripts in QuickJS, in separate threads (docs/adr/0018-sandbox.md). */
export function createSandbox({ threads = 1, limits }: SandboxOptions = {}): Sandbox {
  const all = { ...DEFAULT_LIMITS, ...limits };
  const idle: Thread[] = [];
  const busy = new Set<Thread>();
  const turns = createTurns(threads);

  async function onThread<T>(work: (thread: Thread) => Promise<T>): Promise<T> {
    const thread = idle.pop() ?? startThread();
    busy.add(thread);
    try {
      return await work(thread);
    } finally {
      busy.delete(thread);
      if (thread.isUsable()) idle.push(thread);
    }
  }

  return {
    async run(script, inputs, { signal, owner = '', onStart } = {}) {
      if (!IDENTIFIER.test(script.functionName)) throw new Error('The name of the function must be an identifier.');
      if (inputs.length === 0) return [];
      const endTurn = await turns.take(owner);
      try {
        signal?.throwIfAborted();
        onStart?.();
        return await onThread((thread) => thread.run({ ...script, inputs: [...inputs], limits: all }, signal));
      } finally {
        endTurn();
      }
    },

    async close() {
      await Promise.all([...idle, ...busy].map((thread) => thread.end()));
    },
  };
}
