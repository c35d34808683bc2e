import { createCaller, FILES } from '@dtplatform/stack/client';
import type { Bench } from '../bench.js';
import { createWorkspace } from '../callers/index.js';
import { runProgram } from '../child.js';
import { listSide, manyBesideFew } from '../list-side.js';
import type { SeedFiles } from '../load/seed-files.js';
import type { Side } from '../measure.js';
import type { Row } from '../row.js';

const PAGE = 25;
/** The database of filesvc in the local stack. */
const DATABASE = 'dtplatform_filesvc';

export const fileList: Row = {
  row: 'file-list',
  unit: 'list',
  reach: 0.5,
  about: '25 files, one list after the other, of a namespace with a million; beside one with ten thousand',
  prepare: (bench) => manyBesideFew((files) => sideWith(bench, files)),
};

async function sideWith({ stack, serviceOf, token }: Bench, files: number): Promise<Side> {
  const { url, pid } = serviceOf('filesvc');
  const caller = createCaller({ baseUrl: stack.baseUrl, token });
  const namespace = await createWorkspace(caller, { _name: `Files ${files}`, _shortName: `files${files}` });
  const seed: SeedFiles = { mongoUrl: stack.backends.mongoUrl, database: DATABASE, namespace, files };
  await runProgram('load/seed-files', seed);
  const query = new URLSearchParams({ nsfilter: namespace, _namespaces: namespace, _pageSize: String(PAGE) });
  return listSide(pid, { urls: [`${url}${FILES}?${query.toString()}`], token });
}
