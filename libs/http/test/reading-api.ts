import { expect } from '@jest/globals';
import { currentBounds } from '@dtplatform/telemetry';
import { eventually } from '@dtplatform/testing';
import { ok, route, routes } from '../src/index.js';
import type { RequestContext } from '../src/index.js';
import { createRequestMemory } from '../src/request-memory.js';
import { anyCaller, startApi } from './start-api.js';

export const MIB = 1024 * 1024;

/** The memory of the current request. */
const memory = () => currentBounds()!.memory!;
/** Simulates a large read with an upper bound and an actual size. */
export const read = (mib: number, takenMib = mib) => readAs('large', mib, takenMib);
/** @returns whether there was memory for it */
export const readSmall = (mib: number) => readAs('small', mib, mib);

async function readAs(kind: 'small' | 'large', mib: number, takenMib: number): Promise<boolean> {
  const share = await memory().reserve(kind, mib * MIB);
  const isKept = await share.keep(takenMib * MIB);
  share.release();
  return isKept || kind === 'small' ? isKept : readAs(kind, takenMib, takenMib);
}

/** What a route reads for a caller. Its result is the response. */
type Read = (caller: string) => Promise<unknown>;
const readNothing: Read = async () => undefined;

export const times = <T>(count: number, work: () => Promise<T>) => Promise.all(Array.from({ length: count }, work));
export const statuses = (responses: { status: number }[]) => [...new Set(responses.map(({ status }) => status))];

/** A server whose routes read what the test specifies, and run until the test ends them. */
export async function startReadingApi(options: Parameters<typeof createRequestMemory>[0] = {}) {
  /** Running handlers in the order of their start, and how to end them. */
  let running: { caller: string; end: () => void }[] = [];
  let most = 0;
  const end = (index = 0) => running.splice(index, 1).forEach((one) => one.end());

  const handler = async ({ access: { principal } }: Pick<RequestContext, 'access'>) =>
    ok((await reading.read(principal.id)) ?? {});
  const table = routes('/things', [
    route.get('/', { ...anyCaller('things.list'), handler }),
    route.post('/', {
      operation: 'things.change',
      summary: 'Change.',
      needs: {
        declares: { rule: 'all', action: 'READ', resource: 'http:reading' },
        check: ({ access }) => reading.permit(access.principal.id),
      },
      responses: { 200: null },
      handler,
    }),
  ]);
  const { port, send, stop } = await startApi([table], { memory: createRequestMemory(options) });

  const reading = {
    port,
    stop,
    /** What both routes read. */
    read: readNothing,
    /** What a change reads before it is permitted. */
    permit: readNothing,
    /** Simulates a query, or any work of a handler after it. */
    async run(caller: string) {
      await new Promise<void>((resolve) => {
        running.push({ caller, end: resolve });
        most = Math.max(most, running.length);
      });
    },
    async query(caller: string, mib: number) {
      const share = await memory().reserve('large', mib * MIB);
      await reading.run(caller);
      share.release();
    },
    end,
    async endAll<T>(responses: Promise<T>): Promise<T> {
      const timer = setInterval(end, 1);
      return responses.finally(() => clearInterval(timer));
    },
    until: (count: number) => eventually(async () => expect(running).toHaveLength(count)),
    callers: () => running.map(({ caller }) => caller).sort(),
    /** The maximum number of concurrent handlers. */
    most: () => most,
    send: (caller: string, method = 'GET') =>
      send('/api/things', { method, headers: { authorization: `Bearer ${caller}` } }),
    get: (caller: string) => reading.send(`user-${caller}`),
    reset() {
      // Of a caller who has disconnected.
      for (const one of running) one.end();
      [running, most] = [[], 0];
      reading.permit = reading.read = readNothing;
    },
  };
  return reading;
}
