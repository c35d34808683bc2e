import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { commonErrors } from '@dtplatform/errors';

export interface HashTask {
  password: string;
  salt: Uint8Array;
  length: number;
  options: { N: number; r: number; p: number; maxmem: number };
}

/**
 * The process's program; a string, because tests run from TypeScript sources. The hashing threads of its pool inherit
 * the priority set here. It ends with its parent, which waits for its hashes on shutdown.
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
 * A child process that hashes passwords, at a lower priority. Starts with the first hash, and again after an exit. Threads
 * would delay requests: each hash maps and unmaps 32 MiB, which interrupts all threads that share the memory map.
 * @param atOnce concurrent hashes
 */
export function createHashProcess(atOnce: number) {
  let running: ReturnType<typeof startProcess> | undefined;

  return {
    /** @throws an error for options that scrypt rejects; 503 if the process exits */
    hash(task: HashTask): Promise<Buffer> {
      if (!running?.isAlive()) running = startProcess(atOnce);
      return running.hash(task);
    },
    /** Ends the process. Call it when no hash is running. */
    close: () => running?.close(),
  };
}

function startProcess(atOnce: number) {
  const waiting = new Map<number, Waiting>();
  // Starts without the environment, which holds secrets.
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
          // The process has exited; the exit event follows.
          if (error) giveUp(error);
        });
      }),
    async close(): Promise<void> {
      // Otherwise a program that awaits this would exit first.
      child.ref();
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** An idle child process does not keep this one alive. */
function keepAlive(child: ChildProcess, isNeeded: boolean): void {
  const change = isNeeded ? 'ref' : 'unref';
  child[change]();
  child.channel?.[change]();
}
