import type { TestRun } from '../test-run.js';
import { readFromPod } from '../tools/in-pod.js';

const STARTS = `
import { readFileSync } from 'node:fs';
import { MongoClient } from 'mongodb';
const mongo = await MongoClient.connect(readFileSync(process.env.MONGO_URL_FILE, 'utf8').trim());
const starts = {};
const runs = mongo.db(process.env.MONGO_DB).collection('orchestrator_runs');
for await (const { _id, _work } of runs.find({}, { projection: { '_work.lease.fence': 1 } })) starts[_id] = _work.lease.fence;
console.log(JSON.stringify(starts));
await mongo.close();
`;

/** How often workers have started each run. */
export const startsOfRuns = ({ kubectl }: TestRun): Promise<Record<string, number>> =>
  readFromPod(kubectl, 'deploy/datasourcesvc', STARTS);
