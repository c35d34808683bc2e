/**
 * `npm run count-files`: counts the source files of services and libraries through which one request runs, and all that
 * there are. With `-- --files` it also lists those of each request.
 *
 * A file counts if one of its functions ran in the process of the service between the request and 100 ms after its
 * response, in every repetition; this excludes timers. Files that only create values at startup, such as types and
 * schemas, do not count; nor does the work of other services and workers. `own` excludes files that even a request for
 * an unknown path runs through.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { freePort, lineReport, onInterrupt, repoRoot, SERVICES, startStack } from '@dtplatform/stack';
import { openWorkspace, type Place } from '../counts/operations/operation.js';
import { type Coverage, coverageOf } from './coverage.js';
import { type CountedRequest, REQUESTS, UNKNOWN_PATH } from './requests.js';

const COUNTED = ['itemsvc', 'filesvc', 'passportsvc'];
/** The counted services call it. */
const STARTED = [...COUNTED, 'objectmodelsvc'];
/** Repetitions before counting, which fill caches, and repetitions that count. */
const REPEATED = 10;

async function main(): Promise<void> {
  const { files: namesFiles } = parseArgs({ options: { files: { type: 'boolean', default: false } } }).values;
  const { MONGO_URL: _mongo, REDIS_URL: _redis, S3_ENDPOINT: _s3, ...env } = process.env;
  const stateDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-files-'));
  const report = { ...lineReport(), progress: () => undefined };
  const services = SERVICES.filter(({ name }) => STARTED.includes(name));
  const inspectors = new Map<string, number>();
  for (const service of COUNTED) inspectors.set(service, await freePort());
  const nodeOptions = (name: string) => (inspectors.has(name) ? `--inspect=127.0.0.1:${inspectors.get(name)}` : '');
  const signal = onInterrupt(console.log);
  const stack = await startStack({ stateDir, report, env, services, nodeOptions, signal });
  try {
    const place = await openWorkspace(stack.dev);
    const countFiles = async (request: CountedRequest) => {
      signal.throwIfAborted();
      const coverage = await coverageOf(inspectors.get(request.service)!);
      return filesOf(request, place, coverage).finally(() => coverage.close());
    };
    const shared = new Set(await countFiles(UNKNOWN_PATH));
    console.log(`\n${row('request', ['services', 'libs', 'files', 'own'])}`);
    for (const request of REQUESTS) {
      const files = await countFiles(request);
      const inServices = files.filter((file) => file.startsWith('services/')).length;
      const own = files.filter((file) => !shared.has(file)).length;
      console.log(row(request.name, [inServices, files.length - inServices, files.length, own]));
      if (namesFiles) console.log(files.map((file) => `  ${file}`).join('\n'));
    }
  } finally {
    await stack.stop();
    await rm(stateDir, { recursive: true, force: true });
  }
  console.log(`\n${row('all source files', ['files', 'lines'])}`);
  for (const part of ['services', 'libs']) console.log(row(part, await countSources(part)));
}

/** The files that a request runs through in every repetition, sorted. */
async function filesOf({ before, send }: CountedRequest, place: Place, coverage: Coverage): Promise<string[]> {
  const prepare = async () => (await before?.(place)) ?? '';
  const count = (id: string) => coverage.filesOf(() => send(place, id));
  for (let n = 0; n < REPEATED; n += 1) await send(place, await prepare());
  let files = await count(await prepare());
  for (let n = 1; n < REPEATED; n += 1) {
    const again = new Set(await count(await prepare()));
    files = files.filter((file) => again.has(file));
  }
  return files.sort();
}

/** The number of source files of all services or libraries, and of their lines. */
async function countSources(part: string): Promise<[number, number]> {
  const folder = path.join(repoRoot, part);
  const files = (await readdir(folder, { recursive: true })).filter((file) => /^[^/]+\/src\/.+\.ts$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  return [files.length, texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0)];
}

const row = (name: string, figures: (string | number)[]): string =>
  [name.padEnd(32), ...figures.map((figure) => String(figure).padStart(9))].join('');

main().catch((error: unknown) => {
  console.error(`The count failed: ${(error as Error).message}`);
  process.exitCode = 1;
});
