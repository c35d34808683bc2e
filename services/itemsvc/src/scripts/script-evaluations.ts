import { commonErrors } from '@dtplatform/errors';
import type { Scripts } from '../messages/message.js';
import { CannotIngest, readingsIn } from '../messages/normalize.js';

/** Scripts that run or wait in this process. Each may take a second. */
const MAX_AT_ONCE = 8;

interface Sample {
  text: string;
  /** JSON. */
  message: string;
  caller: string;
}

export type ScriptEvaluations = ReturnType<typeof createScriptEvaluations>;

/** Runs scripts on sample messages, as `createIngestion` does on those of devices. */
export function createScriptEvaluations({ scripts }: { scripts: Scripts }) {
  const callers = new Set<string>();

  async function normalize({ text, message, caller }: Sample, signal: AbortSignal) {
    const { results, tookMs } = await scripts.normalize(caller, text, [message], signal);
    const [result] = results;
    const _tookMs = Math.round(tookMs);
    try {
      if ('failure' in result!) throw new CannotIngest('SCRIPT_FAILED', result.failure);
      return { _readings: readingsIn(result!.value), _tookMs };
    } catch (error) {
      if (!(error instanceof CannotIngest)) throw error;
      return { _code: error.code, _reason: error.message, _tookMs };
    }
  }

  return {
    /** @throws 429 while another script of the caller runs, or too many of others */
    async run(sample: Sample, signal: AbortSignal) {
      const { caller } = sample;
      if (callers.has(caller) || callers.size >= MAX_AT_ONCE) throw commonErrors.tooManyRequests({ retryAfterSec: 1 });
      callers.add(caller);
      try {
        return await normalize(sample, signal);
      } finally {
        callers.delete(caller);
      }
    },
  };
}
