import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@dtplatform/logging';
import {
  before,
  connectMongo,
  defineModel,
  id,
  listPage,
  mongoErrors,
  newId,
  queryLimits,
  trusted,
} from '@dtplatform/mongo';
import type { Filter, Mongo } from '@dtplatform/mongo';
import { eventually } from '@dtplatform/testing';
import { ok, route, routes } from '../src/index.js';
import { anybody, recordingLogger, startApi } from './start-api.js';

const thingModel = defineModel<{ _id: string }>('things', { _id: id });
const NAP_MS = 10;
const nameOf = (n: number) => String(n).padStart(6, '0');
/** Takes this long and matches nothing. The server can interrupt it between two documents. */
const sleeping = (ms: number) => ({
  _id: before(nameOf(ms / NAP_MS)),
  $expr: trusted({ $function: { body: `function () { sleep(${NAP_MS}); return false; }`, args: [], lang: 'js' } }),
});
const paging = { offset: 0, pageSize: 10 };
const MINUTE = 60_000;

let mongo: Mongo;
/** The route's query. */
let ask: () => Promise<unknown>;
let failure: unknown;
const table = routes('/things', [
  route.get('/', {
    ...anybody('things.list'),
    handler: async () => {
      await ask().catch((error: unknown) => {
        failure = error;
        throw error;
      });
      return ok({});
    },
  }),
]);
const { log, lines } = recordingLogger();
let app: Awaited<ReturnType<typeof startApi>>;

beforeAll(async () => {
  mongo = await connectMongo({
    url: process.env.MONGO_URL!,
    database: `test_${newId()}`,
    appName: 'test',
    log: silentLogger(),
  });
  await mongo.model(thingModel).insertMany(Array.from({ length: MINUTE / NAP_MS }, (_, n) => ({ _id: nameOf(n) })));
  app = await startApi([table], { log, errorMappers: [mongoErrors] });
});
afterAll(async () => {
  await app.stop();
  await mongo.db.dropDatabase();
  await mongo.close();
});
beforeEach(() => {
  lines.length = 0;
});

/** The running queries on the collection. */
async function running(): Promise<number> {
  const ns = `${mongo.db.databaseName}.things`;
  const pipeline = [{ $currentOp: {} }, { $match: { ns } }];
  const operations = mongo.db.client.db('admin').aggregate(pipeline, { readConcern: { level: 'local' } });
  return (await operations.toArray()).length;
}

describe('a caller who disconnects', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['a list', () => listPage(mongo.model(thingModel), sleeping(MINUTE), { paging })],
    ['a list whose conditions reach the database as they are', () => listAsIs(sleeping(MINUTE))],
    ['a count', () => mongo.model(thingModel).countDocuments(sleeping(MINUTE), noTimeLimit()).exec()],
    ['a find', () => mongo.model(thingModel).find(sleeping(MINUTE)).setOptions(noTimeLimit()).exec()],
    [
      'an aggregation',
      () =>
        mongo
          .model(thingModel)
          .aggregate([{ $match: sleeping(MINUTE) }])
          .option(noTimeLimit()),
    ],
  ])('ends %s on the server', async (_what, query) => {
    ask = query;
    const call = request({ host: '127.0.0.1', port: app.port, path: '/api/things' });
    call.on('error', () => undefined);
    call.end();
    await eventually(async () => expect(await running()).toBe(1));
    call.destroy();
    await eventually(async () => expect(await running()).toBe(0));
    // The time limit did not end it, and the service did not fail.
    await eventually(() => expect(failure).toMatchObject({ status: 499, code: 'CALLER_DISCONNECTED' }));
    await eventually(() => expect(lines).toMatchObject([{ operation: 'things.list', status: 499 }]));
  });

  const listAsIs = (filter: Filter) => listPage(mongo.model(thingModel), filter, { paging, asIs: true });
  const noTimeLimit = () => ({ ...queryLimits(), maxTimeMS: 2 * MINUTE });
});

describe('queries of one request', () => {
  const list = (ms: number) => listPage(mongo.model(thingModel), sleeping(ms), { paging });

  it('share one deadline, separate from that of the next request', async () => {
    ask = () => list(1200);
    for (let request = 0; request < 2; request++) await app.api.get('/api/things').expect(200);
    ask = async () => {
      await list(1200);
      await list(1200);
    };
    await app.api.get('/api/things').expect(503);
  });
});
