import { createCaller, FILES } from '@dtplatform/stack/client';
import type { Bench } from '../bench.js';
import { runProgram } from '../child.js';
import type { OneByOneLoad, OneByOneLoadResult } from '../load/one-by-one-load.js';
import type { SeedFiles } from '../load/seed-files.js';
import type { Round, Side } from '../measure.js';
import type { Row } from '../row.js';
import { usageDuring } from '../usage.js';

const MANY = 1_000_000;
const FEW = 10_000;
const SECONDS = 1;
const WARM_UP_SECONDS = 0.5;
const PAGE = 25;
/** The database of filesvc in the local stack. */
const DATABASE = 'dtplatform_filesvc';

export const fileList: Row = {
  row: 'file-list',
  unit: 'list',
  reach: 0.5,
  about: '25 files, one list after the other, of a namespace with a million; beside one with ten thousand',
  async prepare(bench) {
    const [reference, ours] = [await sideWith(bench, FEW), await sideWith(bench, MANY)];
    return { ours, reference };
  },
};

async function sideWith(bench: Bench, files: number): Promise<Side> {
  const { url, pid } = bench.serviceOf('filesvc');
  const namespace = await openWorkspace(bench, files);
  const seed: SeedFiles = { mongoUrl: bench.stack.backends.mongoUrl, database: DATABASE, namespace, files };
  await runProgram('load/seed-files', seed);
  const query = new URLSearchParams({ nsfilter: namespace, _namespaces: namespace, _pageSize: String(PAGE) });
  const list = async (seconds: number): Promise<Round> => {
    const headers = { authorization: `Bearer ${bench.token}` };
    const argument: OneByOneLoad = { urls: [`${url}${FILES}?${query.toString()}`], headers, seconds };
    const work = () => runProgram<OneByOneLoadResult>('load/one-by-one-load', argument);
    const { result, usage } = await usageDuring(pid, work);
    return { perSecond: 1000 / result.p50Ms, done: result.requests, p50Ms: result.p50Ms, usage };
  };
  return { run: () => list(SECONDS), warmUp: () => list(WARM_UP_SECONDS) };
}

async function openWorkspace({ stack, token }: Bench, files: number): Promise<string> {
  const workspace = { _name: `Files ${files}`, _shortName: `files${files}` };
  const { body } = await createCaller({ baseUrl: stack.baseUrl, token }).call<{ _list: { _namespaces: string[] }[] }>(
    'POST',
    '/passportsvc/api/v1/workspaces',
    { json: [workspace], expect: 201 },
  );
  return body._list[0]!._namespaces[0]!;
}
