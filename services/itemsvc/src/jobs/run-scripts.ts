import { createSandbox } from '@dtplatform/sandbox';
import type { Sandbox, ScriptOutcome } from '@dtplatform/sandbox';
import type { ScriptResult, Scripts } from '../domain/messages/ports.js';

/** So that a script that takes long does not hold up those of others. */
const THREADS = 2;
/** What scripts return is parsed in the memory of this process: thousands of readings, but not millions of values. */
const LIMITS = { outputChars: 256 * 1024, outputValues: 20_000, runOutputChars: 512 * 1024, runMs: 2_000 };

/** The sandbox for scripts that normalize messages. */
export const createNormalizer = (): Sandbox => createSandbox({ threads: THREADS, limits: LIMITS });

/** Runs scripts of tenants in the sandbox. */
export const scriptsIn = (sandbox: Sandbox): Scripts => ({
  async normalize(configId, text, contents, signal) {
    let startedAt = 0;
    const onStart = () => (startedAt = performance.now());
    const outcomes = await sandbox.run({ text, functionName: 'normalize' }, contents, {
      owner: configId,
      signal,
      onStart,
    });
    return { results: outcomes.map(resultOf), tookMs: performance.now() - startedAt };
  },
});

const resultOf = (outcome: ScriptOutcome): ScriptResult => {
  if ('value' in outcome) return outcome;
  const { code, message } = outcome.error;
  return { failure: `${code}: ${message}`, isTimeout: code === 'TIMED_OUT' };
};
