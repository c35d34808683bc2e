import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import { type LongRunning, startLongRunning } from '../processes/long-running.js';
import { succeeds, until } from '../processes/until.js';
import { freePort, isPortFree } from '../ports.js';
import { silentReport } from '../report.js';
import { redis } from './redis.js';
import { acquire } from './sources/acquire.js';

/** Redis with replicas, for tests of failovers. */
export interface RedisTopology {
  /** Value of REDIS_URL. */
  url: string;
  /** Ends the master that has a key. Resolves when a replica has taken over. The returned function restarts it. */
  failOver(key: string, how?: 'kill' | 'freeze'): Promise<() => Promise<void>>;
  /** Kills all replicas. The returned function restarts them. */
  killReplicas(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const MASTER = 'main';
/** A sentinel on a busy machine does nothing for 30 seconds (its TILT mode). */
const FAILOVER_MS = 120_000;
/** The nodes of a cluster also listen on their port plus this, which must not be an ephemeral port. */
const BUS_OFFSET = 10_000;
const FIRST_EPHEMERAL = 32_768;
const SLOTS = 16_384;

const untilTrue = (what: string, condition: () => Promise<boolean>) =>
  until(what, condition, { timeoutMs: FAILOVER_MS });

interface Servers {
  start(port: number, args: string[]): Promise<void>;
  kill(port: number): Promise<() => Promise<void>>;
  freeze(port: number): () => Promise<void>;
  stop(): Promise<void>;
}

/** Starts a master with one replica and a sentinel, or a cluster of three masters with one replica each. */
export async function startRedisTopology(kind: 'sentinel' | 'cluster', dataDir: string): Promise<RedisTopology> {
  const servers = createServers(dataDir);
  try {
    return await (kind === 'sentinel' ? startSentinel(servers, dataDir) : startCluster(servers));
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

function createServers(dataDir: string): Servers {
  const running = new Map<number, { server: LongRunning; start: () => Promise<void> }>();

  async function start(port: number, more: string[]): Promise<void> {
    const context = { report: silentReport, env: process.env, signal: new AbortController().signal };
    const launcher = await acquire(redis, undefined, context);
    const dir = path.join(dataDir, `redis-${port}`);
    await mkdir(dir, { recursive: true });
    const { command, args } = launcher.command({ port, dir });
    const isSentinel = more.includes('--sentinel');
    const server = await startLongRunning({
      name: `redis-${port}`,
      command,
      args: isSentinel ? more : [...args, ...more],
      stateDir: dataDir,
    });
    running.set(port, { server, start: () => start(port, more) });
    const hasStarted = async () => {
      if (server.hasExited()) throw new Error(`redis-server has ended:\n${await server.lastLines(5)}`);
      return succeeds(ask(port, 'PING'));
    };
    await untilTrue(`redis-server on port ${port}`, hasStarted);
  }

  return {
    start,
    async kill(port) {
      const { server, start: startAgain } = running.get(port)!;
      server.kill();
      await server.exited;
      return startAgain;
    },
    freeze(port) {
      const { pid } = running.get(port)!.server;
      process.kill(pid, 'SIGSTOP');
      return () => Promise.resolve(void process.kill(pid, 'SIGCONT'));
    },
    stop: async () => void (await Promise.all([...running.values()].map(({ server }) => server.stop()))),
  };
}

async function ask(port: number, command: string, ...args: (string | number)[]): Promise<unknown> {
  const client = new Redis({ host: HOST, port, lazyConnect: true, enableReadyCheck: false, retryStrategy: () => null });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.call(command, args);
  } finally {
    client.disconnect();
  }
}

const replication = async (port: number): Promise<string> => String(await ask(port, 'INFO', 'replication'));
const hasReplica = async (port: number) => /^slave0:.*state=online/m.test(await replication(port));

async function startSentinel(servers: Servers, dataDir: string): Promise<RedisTopology> {
  const ports = [await freePort(), await freePort()] as const;
  const sentinel = await freePort();
  await servers.start(ports[0], []);
  await servers.start(ports[1], ['--replicaof', HOST, String(ports[0])]);
  let master: number = ports[0];
  const untilReplicated = () => untilTrue('a replica is online', () => hasReplica(master));
  await untilReplicated();
  const file = path.join(dataDir, 'sentinel.conf');
  await writeFile(
    file,
    `port ${sentinel}\nbind ${HOST}\ndir ${dataDir}
sentinel monitor ${MASTER} ${HOST} ${ports[0]} 1
sentinel down-after-milliseconds ${MASTER} 1000
sentinel failover-timeout ${MASTER} 5000
`,
  );
  await servers.start(sentinel, [file, '--sentinel']);
  const masterPort = async () =>
    Number(((await ask(sentinel, 'SENTINEL', 'get-master-addr-by-name', MASTER)) as string[])[1]);
  const replicas = async () => (await ask(sentinel, 'SENTINEL', 'replicas', MASTER)) as unknown[];
  await untilTrue('the sentinel has found the replica', async () => (await replicas()).length > 0);

  const restartAsReplica = (port: number) => async () => {
    await servers.start(port, ['--replicaof', HOST, String(master)]);
    await untilReplicated();
  };

  return {
    url: `redis-sentinel://${HOST}:${sentinel}?sentinelMasterId=${MASTER}`,
    async failOver(_key, how = 'kill') {
      const former = master;
      const resume = how === 'freeze' ? servers.freeze(former) : undefined;
      if (how === 'kill') await servers.kill(former);
      await untilTrue('another master', async () => (await masterPort()) !== former);
      master = await masterPort();
      await untilTrue('the master takes writes', async () => (await replication(master)).includes('role:master'));
      return resume ? () => resume().then(untilReplicated) : restartAsReplica(former);
    },
    async killReplicas() {
      const replica = ports.find((port) => port !== master)!;
      await servers.kill(replica);
      return restartAsReplica(replica);
    },
    stop: () => servers.stop(),
  };
}

async function freeNodePort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port + BUS_OFFSET < FIRST_EPHEMERAL && (await isPortFree(port + BUS_OFFSET))) return port;
  }
}

async function startCluster(servers: Servers): Promise<RedisTopology> {
  const masters = [await freeNodePort(), await freeNodePort(), await freeNodePort()];
  const replicas = [await freeNodePort(), await freeNodePort(), await freeNodePort()];
  const all = [...masters, ...replicas];
  await Promise.all(
    all.map((port) => servers.start(port, ['--cluster-enabled', 'yes', '--cluster-node-timeout', '1500'])),
  );
  for (const [index, port] of masters.entries()) {
    const [from, to] = [index, index + 1].map((place) => Math.floor((place * SLOTS) / masters.length));
    await ask(port, 'CLUSTER', 'ADDSLOTS', ...Array.from({ length: to! - from! }, (_, slot) => from! + slot));
  }
  for (const port of all.slice(1)) await ask(port, 'CLUSTER', 'MEET', HOST, all[0]!);
  const isWhole = async (port: number) => {
    const state = String(await ask(port, 'CLUSTER', 'INFO'));
    return state.includes('cluster_state:ok') && state.includes(`cluster_known_nodes:${all.length}`);
  };
  await untilTrue('the cluster is whole', async () => (await Promise.all(all.map(isWhole))).every(Boolean));
  for (const [index, port] of replicas.entries())
    await ask(port, 'CLUSTER', 'REPLICATE', String(await ask(masters[index]!, 'CLUSTER', 'MYID')));
  const current = new Set(masters);
  const untilReplicated = () =>
    untilTrue('each master has a replica', async () =>
      (await Promise.all([...current].map(hasReplica))).every(Boolean),
    );
  await untilReplicated();

  const alive = new Set(all);
  async function masterOf(key: string, asked: number): Promise<number> {
    const slot = Number(await ask(asked, 'CLUSTER', 'KEYSLOT', key));
    const ranges = (await ask(asked, 'CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
    return ranges.find(([from, to]) => slot >= from && slot <= to)![2][1];
  }
  return {
    url: `redis-cluster://${masters.map((port) => `${HOST}:${port}`).join(',')}`,
    async failOver(key, how = 'kill') {
      const former = await masterOf(key, [...alive][0]!);
      const restart = how === 'kill' ? await servers.kill(former) : servers.freeze(former);
      alive.delete(former);
      const asked = [...alive][0]!;
      await untilTrue('another master', async () => (await masterOf(key, asked)) !== former && (await isWhole(asked)));
      current.delete(former);
      current.add(await masterOf(key, asked));
      return async () => {
        await restart();
        alive.add(former);
        await untilReplicated();
      };
    },
    async killReplicas() {
      const killed = all.filter((port) => !current.has(port));
      const restarts = await Promise.all(killed.map((port) => servers.kill(port)));
      return async () => {
        await Promise.all(restarts.map((restart) => restart()));
        await untilReplicated();
      };
    },
    stop: () => servers.stop(),
  };
}
