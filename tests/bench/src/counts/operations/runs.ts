import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@dtplatform/stack';
import { ORCHESTRATORS, RUNS } from '@dtplatform/stack/client';
import { createOrchestrator, startRun, type Workspace } from '../../callers/index.js';
import { FOLLOW } from '../../callers/data.js';
import type { Operation, Work } from './operation.js';

const STEP_MS = 10;

interface Run {
  id: string;
  _status: string;
}

/** Polls a run until it is completed. */
const follow = (read: () => Promise<Run | undefined>): Promise<void> =>
  until(
    'a run is completed',
    async () => {
      const run = await read();
      if (run?._status === 'ERROR') throw new Error(`run ${run.id} is ERROR`);
      return run?._status === 'COMPLETED';
    },
    FOLLOW,
  );

/** Starts runs of one short step, and follows each to its end. */
export async function prepareRuns(place: Workspace): Promise<Work> {
  const { caller, namespace } = place;
  const query = { nsfilter: namespace };
  const { id } = await createOrchestrator(place, STEP_MS);
  return async () => {
    const run = await startRun(place, id);
    await follow(async () => (await caller.call<Run[]>('GET', `${RUNS}/${run}`, { query })).body[0]);
  };
}

async function runBySchedule(place: Workspace): Promise<void> {
  const { caller, namespace } = place;
  const schedule = { _class: 'SCHEDULED', _orchschedule: { runinterval: '* * 30' } };
  const { id, _orchschedule } = await createOrchestrator(place, STEP_MS, schedule);
  await sleep(Number(_orchschedule!.next_scheduled_time) - Date.now());
  const query = { nsfilter: namespace, _orchid: id };
  await follow(async () => (await caller.call<{ _list: Run[] }>('GET', RUNS, { query })).body._list[0]);
  await caller.call('DELETE', `${ORCHESTRATORS}/${id}`, { query: { nsfilter: namespace }, expect: 204 });
}

export const runOperations: Operation[] = [
  {
    ...{ name: 'run-to-end', service: 'datasourcesvc', about: 'one step, followed every 200 ms until it is COMPLETED' },
    prepare: prepareRuns,
  },
  {
    // One at a time would take half a minute each, and idle usage would dominate.
    ...{ name: 'scheduled-run', service: 'datasourcesvc', callers: [16], calls: 16 },
    about: 'an orchestrator is created, runs by its schedule 30 s later, and is deleted',
    prepare: async (place) => () => runBySchedule(place),
  },
];
