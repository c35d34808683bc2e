import { ORCHESTRATORS, RUNS } from '../http/paths.js';
import { expect, type Tour } from '../tour.js';
import type { Person } from './people.js';

interface Orchestrator {
  id: string;
  orchsteps: { _orchcomp: string; _actualparams: string; _sequenceno: number }[];
}

interface Run {
  id: string;
  _status: 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'ERROR' | 'CANCELLED';
}

/** An orchestrator is an ordered list of components; a worker executes them one after the other in a run. */
export async function runOrchestrator(tour: Tour, owner: Person, namespace: string): Promise<void> {
  const query = { nsfilter: namespace };
  const orchestrator = await tour.step('An orchestrator of two steps is created', async () => {
    const wait = (ms: number, _sequenceno: number) => ({
      ...{ _orchcomp: 'wait', _name: `wait ${ms} ms`, _sequenceno },
      _actualparams: { ms },
    });
    const json = {
      _name: `Nightly ${tour.mark}`,
      _namespaces: [namespace],
      _userType: 'tour',
      _params: { tasks: [wait(50, 1), wait(100, 2)] },
    };
    const { body } = await owner.call<Orchestrator>('POST', ORCHESTRATORS, { query, json });
    const parameters = body.orchsteps.map((step) => step._actualparams);
    expect('_actualparams', parameters, ['{"ms":50}', '{"ms":100}']);
    return body;
  });
  await tour.step('It is run, and the run completes', async () => {
    const { body: started } = await owner.call<Run>('POST', `${ORCHESTRATORS}/${orchestrator.id}/run`, { query });
    await tour.eventually('the run is COMPLETED', async () => {
      const { body } = await owner.call<Run[]>('GET', `${RUNS}/${started.id}`, { query });
      const run = body[0]!;
      if (['ERROR', 'CANCELLED'].includes(run._status)) throw new Error(`the run is ${JSON.stringify(run)}`);
      return run._status === 'COMPLETED' ? run : undefined;
    });
  });
}
