import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { FILES, ITEMS, RUNS } from '@dtplatform/stack/client';
import type { LoadUser } from './load-user.js';

export interface Ledger {
  file(id: string, content: Buffer): void;
  item(id: string): void;
  run(id: string): void;
  /** Reads all of them back. Resolves with their number; rejects if one is missing or differs. */
  verify(): Promise<number>;
}

const ENDINGS = ['ERROR', 'CANCELLED'];
const RUN_TIMEOUT_MS = 120_000;

export function createLedger({ caller, namespace }: Pick<LoadUser, 'caller' | 'namespace'>): Ledger {
  const query = { nsfilter: namespace };
  const files = new Map<string, string>();
  const items = new Set<string>();
  const runs = new Set<string>();

  async function verifyFile(id: string, sha: string): Promise<void> {
    const response = await caller.open('GET', `${FILES}/${id}/content`, { query });
    if (sha256(Buffer.from(await response.arrayBuffer())) !== sha) throw new Error(`the content of file ${id} changed`);
  }
  const verifyItem = (id: string) => caller.call('GET', `${ITEMS}/${id}`, { query });
  async function verifyRun(id: string): Promise<void> {
    const deadline = Date.now() + RUN_TIMEOUT_MS;
    for (;;) {
      const { body } = await caller.call<{ _status: string }[]>('GET', `${RUNS}/${id}`, { query });
      if (body[0]?._status === 'COMPLETED') return;
      if (ENDINGS.includes(body[0]?._status ?? '') || Date.now() > deadline)
        throw new Error(`run ${id} is ${body[0]?._status}`);
      await sleep(500);
    }
  }

  return {
    file: (id, content) => void files.set(id, sha256(content)),
    item: (id) => void items.add(id),
    run: (id) => void runs.add(id),
    async verify() {
      for (const [id, sha] of files) await verifyFile(id, sha);
      for (const id of items) await verifyItem(id);
      for (const id of runs) await verifyRun(id);
      return files.size + items.size + runs.size;
    },
  };
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
