import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { FILES, type Page } from '@dtplatform/stack/client';
import {
  callDuring,
  createActions,
  createLedger,
  createLoadUser,
  type Ledger,
  type LoadUser,
  storeFile,
} from '@dtplatform/bench/callers';
import type { TestRun } from '../test-run.js';

const AROUND_MS = 10_000;
const PASSING_FILES = 60;
const PAGE = 100;

export interface BusyData {
  /** Writes, reads and deletes while `work` runs. A backup made by it must contain what was acknowledged before. */
  during(work: () => Promise<void>): Promise<void>;
  /** Rejects if a write acknowledged before the backup is lost, or if a record has lost its content. */
  verify(): Promise<string>;
}

export async function createBusyData({ dev, signal, report }: TestRun): Promise<BusyData> {
  const user = await createLoadUser(dev, signal);
  const before = createLedger(user);
  const later = createLedger(user);
  let current = before;
  const ledger: Ledger = {
    file: (id, content) => current.file(id, content),
    item: (id) => current.item(id),
    run: (id) => current.run(id),
    verify: () => before.verify(),
  };
  const actions = createActions(dev, user, ledger);
  const passing = await createFiles(user, PASSING_FILES);

  return {
    async during(work) {
      const { requests, failures } = await callDuring(actions, signal, async () => {
        await sleep(AROUND_MS);
        current = later;
        await Promise.all([work(), removeFiles(user, passing)]);
        await sleep(AROUND_MS);
      });
      report.ready(
        'backup',
        `${requests} requests meanwhile, ${failures.length} failed; ${PASSING_FILES} files deleted`,
      );
      if (failures.length > 0) throw new Error(`${failures.length} requests failed: ${failures[0]}`);
    },
    async verify() {
      const acknowledged = await before.verify();
      const files = await readAll(user);
      return `${acknowledged} writes acknowledged before the backup are there; each of ${files} files has its content`;
    },
  };
}

async function createFiles(user: LoadUser, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await storeFile(user, randomBytes(64 * 1024)));
  return ids;
}

/** Without protection, their content would be gone before the backup copies it. */
async function removeFiles({ caller, namespace }: LoadUser, ids: string[]): Promise<void> {
  for (const id of ids) {
    await caller.call('DELETE', `${FILES}/${id}`, { query: { nsfilter: namespace }, expect: 204 });
    await sleep(50);
  }
}

/** Reads the content of every file that has a record. @returns their number */
async function readAll({ caller, namespace }: LoadUser): Promise<number> {
  const query = { nsfilter: namespace };
  for (let count = 0; ;) {
    const page = { ...query, _pageSize: PAGE, _offset: count };
    const { _list } = (
      await caller.call<Page<{ _id: string; _fileVersion: { _fileSize: number } }>>('GET', FILES, { query: page })
    ).body;
    for (const { _id, _fileVersion } of _list) {
      const response = await caller.open('GET', `${FILES}/${_id}/content`, { query });
      const { byteLength } = await response.arrayBuffer();
      if (byteLength !== _fileVersion._fileSize) throw new Error(`file ${_id} has ${byteLength} bytes of content`);
    }
    count += _list.length;
    if (_list.length < PAGE) return count;
  }
}
