import type { TestRun } from '../test-run.js';
import { readFromMongo } from '../tools/in-pod.js';

const STARTS = `
const starts = {};
const runs = db('datasourcesvc').collection('orchestrator_runs');
for await (const { _id, _work } of runs.find({}, { projection: { '_work.lease.fence': 1 } })) starts[_id] = _work.lease.fence;
console.log(JSON.stringify(starts));
`;

/** How often workers have started each run. */
export const startsOfRuns = ({ kubectl }: TestRun): Promise<Record<string, number>> => readFromMongo(kubectl, STARTS);
