import { randomBytes } from 'node:crypto';
import pc from 'picocolors';
import { until } from '../processes/until.js';
import type { DevJson } from '../state/dev-settings.js';
import { type Caller, createCaller } from './http/caller.js';

/** Time limit of background work. */
const WAIT_MS = 30_000;

export interface TourOptions {
  dev: DevJson;
  /** Receives one line for each step of the tour. */
  write: (line: string) => void;
  signal?: AbortSignal;
}

export interface Tour {
  dev: DevJson;
  signal: AbortSignal | undefined;
  /** Unique per tour, so that the tour can be repeated on the same stack. */
  mark: string;
  /** Runs one step and reports it with its duration. A failed step ends the tour. */
  step<T>(title: string, work: () => Promise<T>): Promise<T>;
  /** How many steps have passed. */
  steps(): number;
  caller(token?: string): Caller;
  /** Polls until `ask` resolves with a value; names `what` in the error when it times out. */
  eventually<T>(what: string, ask: () => Promise<T | undefined>): Promise<T>;
}

export function createTour({ dev, write, signal }: TourOptions): Tour {
  let passed = 0;
  return {
    dev,
    signal,
    steps: () => passed,
    mark: randomBytes(4).toString('hex'),
    caller: (token) => createCaller({ baseUrl: dev.baseUrl, token, signal }),
    async step(title, work) {
      signal?.throwIfAborted();
      const begun = performance.now();
      const line = (mark: string) => write(`${mark} ${title.padEnd(76)} ${String(msSince(begun)).padStart(6)} ms`);
      try {
        const result = await work();
        line(pc.green('✓'));
        passed += 1;
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

export function expect(what: string, got: unknown, expected: unknown): void {
  const [gotText, expectedText] = [JSON.stringify(got), JSON.stringify(expected)];
  if (gotText !== expectedText) throw new Error(`${what} is ${gotText}, not ${expectedText}`);
}
