import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '@dtplatform/stack';
import { createCaller } from '@dtplatform/stack/client';
import { MongoClient } from 'mongodb';
import type { Bench } from '../bench.js';
import { createOrchestrator, createWorkspace, startRun, type Workspace } from '../callers/index.js';
import { runProgram } from '../child.js';
import type { Round, Side } from '../measure.js';
import type { DrainBullmq } from '../references/drain-bullmq.js';
import type { Row } from '../row.js';

const DATABASE = 'dtplatform_datasourcesvc';
/** The maximum number of queued runs in a namespace. */
const RUNS_EACH = 20;
const NAMESPACES = 20;
const RUNS = RUNS_EACH * NAMESPACES;
/** `RUNS_AT_ONCE` of datasourcesvc. */
const CONCURRENCY = 16;
const POLL_EVERY_MS = 2;
const WITHIN_MS = 120_000;

export const runDrain: Row = {
  row: 'run-drain',
  unit: 'run',
  reach: 0.8,
  about: `${RUNS} accepted runs until they are COMPLETED; beside BullMQ working on as many jobs with one write each`,
  async prepare(bench) {
    const client = await MongoClient.connect(bench.stack.backends.mongoUrl);
    bench.afterRow(() => client.close());
    const namespaces = await Promise.all(Array.from({ length: NAMESPACES }, () => openNamespace(bench)));
    let worker = bench.stack.services.find(({ name }) => name === 'datasourcesvc-worker')!;
    bench.atEnd(() => worker.stop());
    const ours = async () => {
      await worker.stop();
      const { round, started } = await drain(client, namespaces, () => worker.startAgain());
      worker = started;
      return round;
    };
    return { ours: side(ours), reference: side(() => drainBullmq(bench)) };
  },
};

const side = (run: () => Promise<Round>): Side => ({ run, warmUp: run });

type Place = Workspace & { orchestrator: string };

async function openNamespace({ stack, token, serviceOf }: Bench): Promise<Place> {
  const namespace = await createWorkspace(createCaller({ baseUrl: stack.baseUrl, token }), { _name: 'Runs' });
  const place = { caller: createCaller({ baseUrl: serviceOf('datasourcesvc').url, token }), namespace };
  return { ...place, orchestrator: (await createOrchestrator(place, 0)).id };
}

/** Queues runs while there is no worker, starts it, and waits until all are completed. */
async function drain(
  client: MongoClient,
  places: Place[],
  startWorker: () => Promise<ServiceProcess>,
): Promise<{ round: Round; started: ServiceProcess }> {
  for (let n = 0; n < RUNS_EACH; n++) await Promise.all(places.map((place) => startRun(place, place.orchestrator)));
  const runs = client.db(DATABASE).collection('orchestrator_runs');
  const countOf = (_status: string) => runs.countDocuments({ _status });
  const before = await countOf('COMPLETED');
  const starting = startWorker();
  const deadline = performance.now() + WITHIN_MS;
  const until = async (isSo: () => Promise<boolean>) => {
    while (!(await isSo())) {
      if (performance.now() > deadline) throw new Error('The runs were not completed in time.');
      await sleep(POLL_EVERY_MS);
    }
    return performance.now();
  };
  const begunMs = await until(async () => (await countOf('QUEUED')) < RUNS);
  const endedMs = await until(async () => (await countOf('COMPLETED')) === before + RUNS);
  const round = { perSecond: (RUNS / (endedMs - begunMs)) * 1000, done: RUNS };
  return { round, started: await starting };
}

function drainBullmq({ stack: { backends } }: Bench): Promise<Round> {
  const { mongoUrl, redisUrl } = backends;
  const argument: DrainBullmq = { mongoUrl, redisUrl, jobs: RUNS, concurrency: CONCURRENCY };
  return runProgram('references/drain-bullmq', argument);
}
