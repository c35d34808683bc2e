import { cutText, shownText } from '@dtplatform/contracts';
import type { StepContext } from '../components/component.js';
import type { StepState } from './run-step.js';

const WRITE_EVERY_MS = 1_000;
const MAX_LINES = 100;
const MAX_LINE_CHARACTERS = 1_000;
const MAX_MESSAGE_CHARACTERS = 500;
const MAX_LOG_BYTES = 16 * 1024;

type Reported = Pick<StepState, '_progress' | '_statusmsg' | '_log'>;

/** What a step reports while it works. */
export interface StepReport extends Pick<StepContext, 'progress' | 'log'> {
  /** Ends it: what is reported later is ignored. Resolves to all of it, once no write is under way. */
  end(): Promise<Reported>;
}

interface Options {
  /** Writes what was reported so far. An error decides nothing: the next write has the same and more. */
  write: (reported: Reported) => Promise<unknown>;
  /** The newest lines that fit are kept. */
  maxLogBytes?: number;
}

/** Combines what a step reports into about one write per second. The step never waits for it. */
export function createStepReport({ write, maxLogBytes = MAX_LOG_BYTES }: Options): StepReport {
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
    progress(percent, message) {
      if (isEnded) return;
      if (Number.isFinite(percent)) reported._progress = Math.floor(Math.min(100, Math.max(0, percent)));
      if (message !== undefined) reported._statusmsg = cut(shownText(message, MAX_LOG_BYTES), MAX_MESSAGE_CHARACTERS);
      change();
    },
    log(line) {
      if (isEnded) return;
      for (const one of shownText(line, MAX_LOG_BYTES).split(/\r?\n/)) lines.add(cut(one, MAX_LINE_CHARACTERS));
      change();
    },
    async end() {
      isEnded = true;
      clearTimeout(timer);
      await writing;
      return current();
    },
  };
}

/** A longer text ends in `…`. */
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
