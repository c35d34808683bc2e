import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface HashTask {
  password: string;
  salt: Uint8Array;
  /** Of the hash, in bytes. */
  length: number;
  options: { N: number; r: number; p: number; maxmem: number };
}

/**
 * What a thread runs. It is a string because tests run from the TypeScript source, which a thread cannot load. On Linux the call
 * changes the priority of the thread alone, elsewhere that of the whole process. Where it is forbidden, threads keep their priority.
 */
const PROGRAM = `
  const { scryptSync } = require('node:crypto');
  const { constants, setPriority } = require('node:os');
  const { parentPort } = require('node:worker_threads');
  try {
    if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {}
  parentPort.on('message', ({ password, salt, length, options }) => {
    parentPort.postMessage(scryptSync(password, salt, length, options));
  });
`;

/**
 * Threads that hash passwords (docs/adr/0048-hashes-in-their-own-threads.md). There are as many as the most hashes that were
 * asked for at the same time.
 */
export function createHashThreads() {
  const idle: Worker[] = [];
  return {
    /** @throws an error for options that scrypt refuses */
    async hash(task: HashTask): Promise<Buffer> {
      const thread = idle.pop() ?? new Worker(PROGRAM, { eval: true, execArgv: [] });
      thread.ref();
      thread.postMessage(task);
      const [hash] = (await once(thread, 'message')) as [Uint8Array];
      thread.unref(); // a thread that waits does not keep the process alive
      idle.push(thread);
      return Buffer.from(hash);
    },
    /** Ends the threads. Nothing is being hashed anymore. */
    close: async () => void (await Promise.all(idle.splice(0).map((thread) => thread.terminate()))),
  };
}
