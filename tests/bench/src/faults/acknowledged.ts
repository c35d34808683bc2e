import { setTimeout as sleep } from 'node:timers/promises';
import { createLedger, type Ledger, type LoadUser } from '../callers/index.js';
import { RUNS } from '@dtplatform/stack/client';

const POLL_MS = 250;
const DONE = 'done';

interface Write {
  what: string;
  readBack: () => Promise<unknown>;
}

interface Work {
  what: string;
  atMs: number;
  /** `done`, or its current state. */
  state: () => Promise<string>;
}

/** What the platform has acknowledged under the load of one fault. */
export interface Acknowledged {
  ledger: Ledger;
  /** Records a write that can be read back. */
  written(what: string, readBack: () => Promise<unknown>): void;
  /** Records work that continues after it is acknowledged. */
  accepted(what: string, state: Work['state']): void;
  /** Waits until all accepted work is done. Resolves with what was late, each as a sentence. */
  untilDone(limits: { endedAtMs: number; limitMs: number; patienceMs: number }): Promise<string[]>;
  /** Reads every write back. Resolves with what is lost. */
  verify(): Promise<string[]>;
  count(): number;
}

export function createAcknowledged(user: LoadUser, signal: AbortSignal): Acknowledged {
  const writes: Write[] = [];
  let waiting: Work[] = [];
  let works = 0;
  const ofService = createLedger(user);
  let inLedger = 0;

  const accepted: Acknowledged['accepted'] = (what, state) => {
    works += 1;
    waiting.push({ what, atMs: Date.now(), state });
  };
  const ledger: Ledger = {
    file(id, content) {
      inLedger += 1;
      ofService.file(id, content);
    },
    item(id) {
      inLedger += 1;
      ofService.item(id);
    },
    run(id) {
      ofService.run(id);
      accepted(`run ${id}`, () => stateOfRun(user, id));
    },
    verify: () => ofService.verify(),
  };

  return {
    ledger,
    accepted,
    written: (what, readBack) => void writes.push({ what, readBack }),
    async untilDone({ endedAtMs, limitMs, patienceMs }) {
      let mine = waiting;
      waiting = [];
      const late = new Map<string, string>();
      const begunMs = Date.now();
      while (mine.length > 0) {
        await sleep(POLL_MS, undefined, { signal });
        const states = await allStates(mine);
        const isOver = Date.now() > begunMs + patienceMs;
        for (const [index, { what, atMs }] of mine.entries()) {
          if (states[index] === DONE || Date.now() <= Math.max(atMs, endedAtMs) + limitMs) continue;
          late.set(what, isOver ? `is still ${states[index]}` : `took more than ${limitMs / 1000} s`);
        }
        if (isOver) break;
        mine = mine.filter((_, index) => states[index] !== DONE);
      }
      return [...late].map(([what, how]) => `${what} ${how}`);
    },
    async verify() {
      const lost = [await failureOf('a write', () => ledger.verify())];
      for (const { what, readBack } of writes) lost.push(await failureOf(what, readBack));
      return lost.filter((one) => one !== undefined);
    },
    count: () => inLedger + works + writes.length,
  };
}

const failureOf = (what: string, read: () => Promise<unknown>): Promise<string | undefined> =>
  read().then(
    () => undefined,
    (error: unknown) => `${what} is lost: ${(error as Error).message}`,
  );

/** A state is unknown while it cannot be read: a backend may be down. */
async function allStates(works: readonly Work[]): Promise<string[]> {
  const states: string[] = [];
  for (const { state } of works) states.push(await state().catch((error: unknown) => (error as Error).message));
  return states;
}

async function stateOfRun({ caller, namespace }: LoadUser, id: string): Promise<string> {
  const { body } = await caller.call<{ _status: string }[]>('GET', `${RUNS}/${id}`, { query: { nsfilter: namespace } });
  return body[0]?._status === 'COMPLETED' ? DONE : (body[0]?._status ?? 'missing');
}
