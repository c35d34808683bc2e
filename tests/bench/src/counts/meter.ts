import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Report, type Stack, startStack, until } from '@dtplatform/stack';
import { countBackends, type CountedBackends } from './backends.js';
import type { Snapshot } from './cost.js';
import { usageOf } from './process-stat.js';
import { countLines, countSent } from './requests.js';

const DRAINED = { timeoutMs: 120_000, everyMs: 100 };
const ACCESS_LOG = 's3-access.log';
/** The line that a service logs for each request. */
const REQUEST = /"operation":.*"method":.*"path":/;
const ANY = /./;

/** Reads the resource usage of a local stack. */
export interface Meter {
  snapshot(): Promise<Snapshot>;
  /** Waits until workers have finished the work of requests. */
  drained(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the platform with separate backends, so that all its usage can be counted. */
export function startCountedStack(stateDir: string, report: Report): Promise<Stack> {
  const { MONGO_URL: _mongo, REDIS_URL: _redis, S3_ENDPOINT: _s3, S3_SERVER: _server, ...env } = process.env;
  // versitygw writes an access log for S3; services log requests at this level.
  const logs = { VGW_ACCESS_LOG: path.join(stateDir, ACCESS_LOG), LOG_LEVEL: 'info' };
  return startStack({ stateDir, report, env: { ...env, ...logs } });
}

/** @param stack a stack of `startCountedStack` */
export async function createMeter({ backends, services, baseUrl }: Stack, stateDir: string): Promise<Meter> {
  const counted = await countBackends(backends);
  const processes = [...services.map(({ name, pid }) => [name, pid] as const), ...Object.entries(await counted.pids())];
  const s3 = countLines(path.join(stateDir, ACCESS_LOG), ANY);
  const taken = services.filter(({ url }) => url).map(({ logFile }) => countLines(logFile, REQUEST));
  const sent = countSent(new URL(baseUrl).origin);

  return {
    async snapshot() {
      const stat = await readStat();
      const requests = await Promise.all(taken.map((count) => count()));
      const peers = requests.reduce((sum, count) => sum + count, 0) - sent.count();
      const counts = { ...(await counted.commands()), s3: await s3(), peers };
      const usage = new Map(processes.map(([name, pid]) => [name, usageOf(stat, pid)]));
      return { atMs: performance.now(), usage, counts };
    },
    drained: () => untilDrained(counted),
    async close() {
      sent.close();
      await counted.close();
    },
  };
}

async function untilDrained(backends: CountedBackends): Promise<void> {
  let what: string | undefined;
  await until('an empty outbox', async () => !(what = await backends.pending()), DRAINED).catch((error: unknown) => {
    throw new Error(`not done: ${what}`, { cause: error });
  });
}

/** Reads `stat` of all processes; Linux only. */
async function readStat(): Promise<string> {
  const names = await readdir('/proc').catch(() => []);
  const read = (pid: string) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return (await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(read))).join('\n');
}
