import { cutText, parseJson, shownText } from '@dtplatform/contracts';
import type { JsonRejected } from '@dtplatform/contracts';
import type { StepState } from './run.js';

const WRITE_EVERY_MS = 1_000;
const MAX_LINES = 100;
const MAX_LINE_CHARACTERS = 1_000;
const MAX_MESSAGE_CHARACTERS = 500;
const MAX_LOG_BYTES = 16 * 1024;

type Reported = Pick<StepState, '_progress' | '_statusmsg' | '_log'>;

interface Options {
  /** Writes the report so far. An error is not final: the next write includes everything. */
  write: (reported: Reported) => Promise<unknown>;
  /** Keeps the newest lines that fit. */
  maxLogBytes?: number;
}

/** Combines a step's reports into about one write per second. The step never waits for it. */
export function createStepReport({ write, maxLogBytes = MAX_LOG_BYTES }: Options) {
  const lines = createLines(Math.min(maxLogBytes, MAX_LOG_BYTES));
  const reported: Omit<Reported, '_log'> = {};
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<unknown> | undefined;
  let isChanged = false;
  let isEnded = false;

  const current = (): Reported => ({ ...reported, ...(lines.size > 0 && { _log: lines.all() }) });

  function change(): void {
    isChanged = true;
    if (timer || writing || isEnded) return;
    timer = setTimeout(begin, WRITE_EVERY_MS).unref();
  }

  function begin(): void {
    timer = undefined;
    isChanged = false;
    writing = write(current())
      .catch(() => undefined)
      .finally(() => {
        writing = undefined;
        if (isChanged) change();
      });
  }

  return {
    progress: (percent: number, message?: string): void => {
      if (isEnded) return;
      if (Number.isFinite(percent)) reported._progress = Math.floor(Math.min(100, Math.max(0, percent)));
      if (message !== undefined) reported._statusmsg = cut(shownText(message, MAX_LOG_BYTES), MAX_MESSAGE_CHARACTERS);
      change();
    },
    log: (line: string): void => {
      if (isEnded) return;
      for (const one of shownText(line, MAX_LOG_BYTES).split(/\r?\n/)) lines.add(cut(one, MAX_LINE_CHARACTERS));
      change();
    },
    /** Ignores later reports. Resolves to the whole report once no write is in progress. */
    async end(): Promise<Reported> {
      isEnded = true;
      clearTimeout(timer);
      await writing;
      return current();
    },
  };
}

/** Marks a cut with `…`. */
function cut(text: string, max: number): string {
  return cutText(text, max) === text ? text : `${cutText(text, max - 1)}…`;
}

/** The newest lines within limits. */
function createLines(maxBytes: number) {
  const kept: string[] = [];
  let bytes = 0;
  return {
    add(line: string): void {
      kept.push(line);
      bytes += Buffer.byteLength(line);
      while (kept.length > MAX_LINES || (bytes > maxBytes && kept.length > 0))
        bytes -= Buffer.byteLength(kept.shift()!);
    },
    get size() {
      return kept.length;
    },
    all: () => [...kept],
  };
}

const MAX_RESULT_BYTES = 64 * 1024;
const MAX_RESULTS_OF_RUN_BYTES = 1024 * 1024;
/** MongoDB's limit is 100 levels per document. */
const MAX_DEPTH = 64;

/** A step's result as JSON text, or why it was left out. */
export type StepResult = { text: string; note?: undefined } | { text?: undefined; note: string };

/**
 * The result of a completed step. A result that is too large is left out: failing the step would invite a retry that
 * does its work again.
 * @param otherBytes size of the earlier steps' results
 */
export function resultOf(value: unknown, otherBytes: number): StepResult {
  let text: string;
  try {
    // Undefined and functions have no JSON.
    const json: unknown = JSON.stringify(value);
    text = typeof json === 'string' ? json : 'null';
  } catch {
    return { note: 'The result is not a JSON value and was left out.' };
  }
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_RESULT_BYTES) return { note: 'The result is larger than 64 KiB and was left out.' };
  if (bytes + otherBytes > MAX_RESULTS_OF_RUN_BYTES) {
    return { note: 'The results of the run exceed 1 MiB, so this one was left out.' };
  }
  if (depthOf(text) > MAX_DEPTH) {
    return { note: `The result is nested deeper than ${MAX_DEPTH} levels and was left out.` };
  }
  try {
    parseJson(text);
  } catch (error) {
    return { note: `The result was left out: it ${(error as JsonRejected).message}.` };
  }
  return { text };
}

/** The nesting depth of JSON text. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth--;
  }
  return deepest;
}
