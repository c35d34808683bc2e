import { randomBytes } from 'node:crypto';
import pc from 'picocolors';
import { until } from '../processes/until.js';
import type { DevJson } from '../state/dev-settings.js';
import { type Caller, createCaller } from './http/caller.js';

/** How long work in the background may take. */
const WAIT_MS = 30_000;

export interface TourOptions {
  /** How to reach the running stack, and as whom. */
  dev: DevJson;
  /** Where the tour tells its steps, one line each. */
  write: (line: string) => void;
  signal?: AbortSignal;
}

/** What every chapter of the tour has at hand. */
export interface Tour {
  dev: DevJson;
  signal: AbortSignal | undefined;
  /** Different in each tour, so that it can be done again on the same stack. */
  mark: string;
  /** Does one step and tells of it with its time. A step that fails ends the tour. */
  step<T>(title: string, work: () => Promise<T>): Promise<T>;
  /** Somebody who calls the platform with this token. */
  caller(token?: string): Caller;
  /** Asks again until there is an answer; `what` is told when there is none in time. */
  eventually<T>(what: string, ask: () => Promise<T | undefined>): Promise<T>;
}

export function createTour({ dev, write, signal }: TourOptions): Tour {
  return {
    dev,
    signal,
    mark: randomBytes(4).toString('hex'),
    caller: (token) => createCaller({ baseUrl: dev.baseUrl, token, signal }),
    async step(title, work) {
      signal?.throwIfAborted();
      const begun = performance.now();
      const line = (mark: string) => write(`${mark} ${title.padEnd(76)} ${String(msSince(begun)).padStart(6)} ms`);
      try {
        const result = await work();
        line(pc.green('✓'));
        return result;
      } catch (error) {
        signal?.throwIfAborted();
        line(pc.red('✗'));
        throw new Error(`"${title}": ${(error as Error).message}`, { cause: error });
      }
    },
    async eventually<T>(what: string, ask: () => Promise<T | undefined>) {
      let answer: T | undefined;
      const isThere = async () => (answer = await ask()) !== undefined;
      await until(what, isThere, { timeoutMs: WAIT_MS, everyMs: 100, signal });
      return answer!;
    },
  };
}

const msSince = (begun: number): number => Math.round(performance.now() - begun);

/** Throws when what the platform answered is not what the tour expects. */
export function expect(what: string, got: unknown, expected: unknown): void {
  const [gotText, expectedText] = [JSON.stringify(got), JSON.stringify(expected)];
  if (gotText !== expectedText) throw new Error(`${what} is ${gotText}, not ${expectedText}`);
}
