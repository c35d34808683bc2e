import pLimit from 'p-limit';
import { mongodbCommands, redisCommands, type Snapshot, type Usage, usageOf } from '@dtplatform/bench/counts';
import type { TestRun } from '../test-run.js';
import { readFromPod } from '../tools/in-pod.js';
import { isReady, type Kubectl, type Pod } from '../tools/kubectl.js';

/** The counters of the backends. */
interface Counters {
  commands: Parameters<typeof mongodbCommands>[0];
  commandstats: string;
}

/** Service images have no shell. */
const READ_STAT = `
import { readdirSync, readFileSync } from 'node:fs';
const read = (pid) => { try { return readFileSync('/proc/' + pid + '/stat', 'utf8'); } catch { return ''; } };
console.log(JSON.stringify(readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map(read).join('\\n')));
`;
const READ_COUNTERS = `
import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
const secret = (name) => readFileSync(process.env[name + '_FILE'], 'utf8').trim();
const redis = new Redis(secret('REDIS_URL'));
const mongo = await MongoClient.connect(secret('MONGO_URL'));
const { metrics } = await mongo.db('admin').command({ serverStatus: 1 });
console.log(JSON.stringify({ commands: metrics.commands, commandstats: await redis.info('commandstats') }));
redis.disconnect();
await mongo.close();
`;
const BACKENDS = ['mongodb', 'redis', 's3', 'gateway'];
const AT_ONCE = 4;

/** Reads a few pods at a time; run it before and after a load, not during it. */
export async function takeSnapshot({ kubectl }: TestRun): Promise<Snapshot> {
  const pods = (await kubectl.pods('app.kubernetes.io/part-of=dtplatform')).filter(isReady);
  const usage = new Map<string, Usage>();
  const limit = pLimit(AT_ONCE);
  const read = async (pod: Pod) => {
    const component = componentOf(pod);
    if (component === undefined) return;
    const stat = await readStat(kubectl, pod.metadata.name, component);
    if (usage.has(component)) throw new Error(`${component} has more than one pod`);
    usage.set(component, usageOf(stat));
  };
  await Promise.all(pods.map((pod) => limit(() => read(pod))));
  const { commands, commandstats } = await readFromPod<Counters>(kubectl, 'deploy/passportsvc', READ_COUNTERS);
  const counts = { mongodb: mongodbCommands(commands), redis: redisCommands(commandstats) };
  return { atMs: performance.now(), usage, counts };
}

const readStat = (kubectl: Kubectl, pod: string, component: string): Promise<string> =>
  BACKENDS.includes(component)
    ? kubectl.run('exec', pod, '--', 'sh', '-c', 'cat /proc/[0-9]*/stat 2>/dev/null; true')
    : readFromPod<string>(kubectl, pod, READ_STAT);

function componentOf({ metadata }: Pod): string | undefined {
  const name = metadata.labels['app.kubernetes.io/name']!;
  const component = metadata.labels['app.kubernetes.io/component'];
  if (component === 'worker') return `${name}-worker`;
  return component === 'api' || BACKENDS.includes(name) ? name : undefined;
}
