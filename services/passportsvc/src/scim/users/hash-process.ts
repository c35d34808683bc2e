import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { commonErrors } from '@dtplatform/errors';

export interface HashTask {
  password: string;
  salt: Uint8Array;
  /** Of the hash, in bytes. */
  length: number;
  options: { N: number; r: number; p: number; maxmem: number };
}

/**
 * What the process runs. It is a string because tests run from the TypeScript source. The threads of its pool, which hash, begin
 * with the priority that it has then. It ends with its parent, which waits for its hashes when it is asked to stop.
 */
const PROGRAM = `
  const { scrypt } = require('node:crypto');
  const { constants, getPriority, setPriority } = require('node:os');
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
  process.once('disconnect', () => process.exit());
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
  process.on('message', ({ id, password, salt, length, options }) => {
    const answer = (error, hash) => process.send({ id, hash, problem: error?.message });
    try {
      scrypt(password, salt, length, options, answer);
    } catch (error) {
      answer(error);
    }
  });
`;

interface Answer {
  id: number;
  hash?: Uint8Array;
  problem?: string;
}

interface Waiting {
  resolve: (hash: Buffer) => void;
  reject: (error: Error) => void;
}

/**
 * A process that hashes passwords (docs/adr/0048-hashes-in-their-own-process.md). It starts with the first hash, and again after it
 * has ended.
 * @param atOnce how many hashes it makes at the same time
 */
export function createHashProcess(atOnce: number) {
  let running: ReturnType<typeof startProcess> | undefined;

  return {
    /** @throws an error for options that scrypt rejects; 503 if the process ends */
    hash(task: HashTask): Promise<Buffer> {
      if (!running?.isAlive()) running = startProcess(atOnce);
      return running.hash(task);
    },
    /** Ends the process. Nothing is being hashed anymore. */
    close: () => running?.close(),
  };
}

function startProcess(atOnce: number) {
  const waiting = new Map<number, Waiting>();
  // It needs none of the environment, which holds secrets.
  const child = spawn(process.execPath, ['--eval', PROGRAM], {
    env: { UV_THREADPOOL_SIZE: String(atOnce) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  let isOver = false;
  function giveUp(cause: unknown): void {
    isOver = true;
    for (const { reject } of waiting.values()) reject(commonErrors.unavailable({ cause }));
    waiting.clear();
  }
  const ended = once(child, 'exit').then(giveUp, giveUp);
  child.on('message', ({ id, hash, problem }: Answer) => {
    const task = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) keepAlive(child, false);
    if (hash) task?.resolve(Buffer.from(hash));
    else task?.reject(new Error(problem));
  });
  let last = 0;

  return {
    isAlive: () => !isOver && child.connected,
    hash: (task: HashTask) =>
      new Promise<Buffer>((resolve, reject) => {
        const id = ++last;
        waiting.set(id, { resolve, reject });
        keepAlive(child, true);
        child.send({ id, ...task }, (error) => {
          // It has ended, which is reported later.
          if (error) giveUp(error);
        });
      }),
    async close(): Promise<void> {
      // A program that awaits this would end before.
      child.ref();
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** A process that waits does not keep this one alive. */
function keepAlive(child: ChildProcess, isNeeded: boolean): void {
  const change = isNeeded ? 'ref' : 'unref';
  child[change]();
  child.channel?.[change]();
}
