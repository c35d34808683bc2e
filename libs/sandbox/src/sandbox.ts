import { DEFAULT_LIMITS } from './limits.js';
import type { ScriptLimits } from './limits.js';
import type { Script, ScriptOutcome } from './script.js';
import { startThread } from './thread.js';
import type { Thread } from './thread.js';
import { createTurns } from './turns.js';

export interface SandboxOptions {
  /** How many scripts run at the same time; others wait. Each takes a thread with about 20 MiB. Default 1. */
  threads?: number;
  limits?: Partial<ScriptLimits>;
}

interface RunOptions {
  signal?: AbortSignal;
  /** Whose script it is. Owners take turns, and one of them never has all threads where there are several. */
  owner?: string;
  /** Called once it is the script's turn. */
  onStart?: () => void;
}

export interface Sandbox {
  /**
   * Calls the function of a script once for each input, each time in a fresh environment: nothing is left of the call before.
   * Ends early when it reaches a limit of a run.
   * The script has the language alone: no modules, timers, network or files. The calling thread is never blocked.
   * @param inputs JSON
   * @returns one outcome for each of the first inputs, at least of one, in their order
   * @throws Error when a thread does not start, and the reason of the signal
   */
  run(script: Script, inputs: readonly string[], options?: RunOptions): Promise<ScriptOutcome[]>;
  /** Ends all threads. Scripts that run are rejected. */
  close(): Promise<void>;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Runs scripts of callers in QuickJS, in threads of their own (docs/adr/0067). */
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
