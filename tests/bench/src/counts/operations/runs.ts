import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@dtplatform/stack';
import { ORCHESTRATORS, RUNS } from '@dtplatform/stack/client';
import { FOLLOW } from './files.js';
import { type Operation, type Place, unique, type Work } from './operation.js';

type Calls = Pick<Place, 'caller' | 'namespace'>;

interface Orchestrator {
  id: string;
  _orchschedule?: { next_scheduled_time: string };
}

interface Run {
  id: string;
  _status: string;
}

async function createOrchestrator({ caller, namespace }: Calls, more: object = {}): Promise<Orchestrator> {
  const tasks = [{ _orchcomp: 'wait', _sequenceno: 1, _name: 'wait', _actualparams: { ms: 10 } }];
  const json = { _name: unique(), _namespaces: [namespace], _params: { tasks }, ...more };
  return (await caller.call<Orchestrator>('POST', ORCHESTRATORS, { query: { nsfilter: namespace }, json })).body;
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
export async function prepareRuns(place: Calls): Promise<Work> {
  const { caller, namespace } = place;
  const query = { nsfilter: namespace };
  const { id } = await createOrchestrator(place);
  return async () => {
    const { body: run } = await caller.call<Run>('POST', `${ORCHESTRATORS}/${id}/run`, { query });
    await follow(async () => (await caller.call<Run[]>('GET', `${RUNS}/${run.id}`, { query })).body[0]);
  };
}

async function runBySchedule(place: Calls): Promise<void> {
  const { caller, namespace } = place;
  const schedule = { _class: 'SCHEDULED', _orchschedule: { runinterval: '* * 30' } };
  const { id, _orchschedule } = await createOrchestrator(place, schedule);
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
