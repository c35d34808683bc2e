import { randomBytes } from 'node:crypto';
import { afterAll, afterEach } from '@jest/globals';
import type { StandInFile } from './file-stand-in.js';
import { FILESETS, startApp } from './start-app.js';
import { openStream } from './stream-client.js';
import type { ClientOptions } from './stream-client.js';

export const MiB = 1024 * 1024;

/** The application and a worker for the tests of one file. */
export const app = await startApp();
await app.startWorker();
/** A user who may read every file. */
export const olga = { authorization: await app.as('olga') };

const clients: { close(): void }[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(() => app.stop());

/** A client that is closed after the test. */
export async function client(options: ClientOptions = {}, url = app.url) {
  const opened = await openStream(url, { ...olga, ...options });
  clients.push(opened);
  return opened;
}

/** The number of requests that ended this way. */
export async function outcomes(outcome: string): Promise<number> {
  const { values } = await app.deps.registry.getSingleMetric('stream_requests_total')!.get();
  return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
}

/** Creates a file set. @returns its id */
export async function fileSet(files: StandInFile[]): Promise<string> {
  const body = { _name: 'Tower', _namespaces: ['tower_1'], _fileIds: files.map(({ id }) => id) };
  const path = `${FILESETS}?nsfilter=tower_1`;
  const response = await app.api.post(path).set(olga).send(body).expect(201);
  return (response.body as { _id: string })._id;
}

/** A client that has opened a new set of these files. */
export async function streamOf(...files: StandInFile[]) {
  const stream = await client();
  await stream.open(await fileSet(files));
  return stream;
}

/** A loaded file that `olga` and `stan` may read. */
export const loaded = (bytes: number): Promise<StandInFile> =>
  app.loaded(olga, { content: randomBytes(bytes), readers: ['olga', 'stan'] });
