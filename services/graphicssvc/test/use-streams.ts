import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { StandInFile } from './file-stand-in.js';
import { FILESETS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { openStream } from './stream-client.js';
import type { ClientOptions } from './stream-client.js';

export const MiB = 1024 * 1024;

/** Starts the application and a worker for the tests of a file. `olga` is the header of somebody who may read every file. */
export function useStreams() {
  const test = {} as { app: TestApp; olga: string };
  const clients: { close(): void }[] = [];

  beforeAll(async () => {
    test.app = await startApp();
    await test.app.startWorker();
    test.olga = await test.app.as('olga');
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });
  afterAll(() => test.app.stop());

  return {
    test,
    /** A client that is closed after the test. */
    client: async (options: ClientOptions = {}, url = test.app.url) => {
      const opened = await openStream(url, { authorization: test.olga, ...options });
      clients.push(opened);
      return opened;
    },
    /** How many requests ended this way. */
    outcomes: async (outcome: string): Promise<number> => {
      const { values } = await test.app.deps.registry.getSingleMetric('stream_requests_total')!.get();
      return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
    },
    /** @returns the id of a file set */
    fileSet: async (files: StandInFile[]): Promise<string> => {
      const body = { _name: 'Tower', _namespaces: ['tower_1'], _fileIds: files.map(({ id }) => id) };
      const path = `${FILESETS}?nsfilter=tower_1`;
      const response = await test.app.api.post(path).set('authorization', test.olga).send(body).expect(201);
      return (response.body as { _id: string })._id;
    },
    /** A file in the store, for `olga` and `stan`. */
    loaded: async (bytes: number): Promise<StandInFile> => {
      const { app, olga: authorization } = test;
      const file = app.files.add({ content: randomBytes(bytes), readers: ['olga', 'stan'] });
      await app.put({ authorization }, [{ _fileId: file.id }]).expect(200);
      await app.untilStatus({ authorization }, file.id, 'LOADED');
      // Marks its object for removal after the tests.
      await app.stored(file);
      return file;
    },
  };
}
