import { afterAll, describe, expect, it } from '@jest/globals';
import mongoose from 'mongoose';
import { startCuttableProxy } from '../../testing/src/cuttable-proxy.js';
import { mongoErrors } from '../src/index.js';
import type { ClientSession } from '../src/index.js';
import { connectTo, failureOf, mongoUrl, throughPort, useDatabase } from './support.js';

const driver = mongoose.mongo;
const unavailable = { status: 503, code: 'UNAVAILABLE', headers: { 'retry-after': '1' } };
/** The meaning of each driver class without labels, codes and causes: a new class must be added here. */
const UNAVAILABLE = `
  MongoClientClosedError MongoExpiredSessionError MongoNetworkError MongoNetworkTimeoutError
  MongoNotConnectedError MongoOperationTimeoutError MongoServerClosedError MongoServerSelectionError
  MongoStalePrimaryError MongoSystemError MongoTopologyClosedError MongoWriteConcernError`;
const OTHER = `
  MongoAPIError MongoAWSError MongoAzureError MongoBatchReExecutionError MongoBulkWriteError
  MongoChangeStreamError MongoClientBulkWriteCursorError MongoClientBulkWriteError
  MongoClientBulkWriteExecutionError MongoCompatibilityError MongoCryptAzureKMSRequestError
  MongoCryptCreateDataKeyError MongoCryptCreateEncryptedCollectionError MongoCryptError
  MongoCryptInvalidArgumentError MongoCryptKMSRequestNetworkTimeoutError MongoCursorExhaustedError
  MongoCursorInUseError MongoDecompressionError MongoDriverError MongoError MongoGCPError
  MongoGridFSChunkError MongoGridFSStreamError MongoInvalidArgumentError MongoKerberosError
  MongoMissingCredentialsError MongoMissingDependencyError MongoOIDCError MongoParseError
  MongoRuntimeError MongoServerError MongoTailableCursorError MongoTransactionError
  MongoUnexpectedServerResponseError`;
const CLASSES = Object.fromEntries(
  [UNAVAILABLE, OTHER].flatMap((names) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, names === UNAVAILABLE]),
  ),
) as Record<string, boolean>;

type ErrorClass = new (...parameters: unknown[]) => mongoose.mongo.MongoError;
const isErrorClass = (value: unknown): value is ErrorClass =>
  typeof value === 'function' && (value as { prototype?: unknown }).prototype instanceof Error;
const exported = Object.entries(driver as Record<string, unknown>).flatMap(([name, value]): [string, ErrorClass][] =>
  isErrorClass(value) ? [[name, value]] : [],
);
const byName = Object.fromEntries(exported);
const bulkResult = { getWriteErrors: () => [] };
const PARAMETERS: Record<string, unknown[]> = {
  MongoServerError: [{ message: 'm' }],
  MongoClientBulkWriteError: [{ message: 'm' }],
  MongoBulkWriteError: [{ message: 'm', code: 1, writeErrors: [] }, bulkResult],
  MongoWriteConcernError: [{ ok: 1, writeConcernError: { code: 64, errmsg: 'm' } }],
  MongoSystemError: ['m', {}],
  MongoServerSelectionError: ['m', {}],
  MongoCryptCreateDataKeyError: [{}, { cause: new Error('c') }],
  MongoCryptCreateEncryptedCollectionError: [{}, { cause: new Error('c') }],
};
const make = (name: string): mongoose.mongo.MongoError => {
  const error = new byName[name]!(...(PARAMETERS[name] ?? ['m', {}]));
  expect(error).toBeInstanceOf(driver.MongoError);
  return error;
};
const serverError = (code: number) => new driver.MongoServerError({ message: 'm', code });

describe('mongoErrors', () => {
  it('is tested with every error class of the driver', () => {
    expect(exported.map(([name]) => name).sort()).toEqual(Object.keys(CLASSES).sort());
  });

  it.each(Object.entries(CLASSES))(
    'maps %s to 503 if it means unavailability (%s) or an unknown outcome',
    (name, isUnavailable) => {
      const alone = mongoErrors(make(name));
      if (isUnavailable) expect(alone).toMatchObject(unavailable);
      else expect(alone).toBeUndefined();
      const bulk = new driver.MongoBulkWriteError(make(name), bulkResult as never);
      expect(mongoErrors(bulk) === undefined).toBe(alone === undefined);

      const unknownOutcomes = ['TransientTransactionError', 'UnknownTransactionCommitResult'];
      for (const label of [...unknownOutcomes, 'RetryableWriteError', 'SystemOverloadedError']) {
        const labelled = make(name);
        labelled.addErrorLabel(label);
        expect(mongoErrors(labelled)).toMatchObject(unavailable);
        expect(mongoErrors(new Error('wrapped', { cause: labelled }))).toMatchObject(unavailable);
      }
      const network = Object.assign(make(name), { cause: new driver.MongoNetworkError('connection closed') });
      expect(mongoErrors(network)).toMatchObject(unavailable);
    },
  );

  it.each([6, 7, 24, 43, 50, 64, 79, 89, 91, 100, 112, 134, 189, 251, 262, 9001, 10107, 11600, 11602, 13435, 13436])(
    'maps the server error %d to 503, alone and inside a bulk write',
    (code) => {
      expect(mongoErrors(serverError(code))).toMatchObject(unavailable);
      const writeErrors = [{ code, errmsg: 'm' }];
      const bulk = new driver.MongoBulkWriteError({ message: 'm', code: 1, writeErrors } as never, bulkResult as never);
      expect(mongoErrors(bulk)).toMatchObject(unavailable);
    },
  );

  it('maps a full volume, which has no specific error code, to 503', () => {
    const message = 'WiredTigerRecordStore::insertRecord 28: No space left on device';
    const insert = [{ message, code: 8, writeErrors: [{ code: 8, errmsg: message }] }, bulkResult];
    expect(mongoErrors(new driver.MongoServerError({ message, code: 8 }))).toMatchObject(unavailable);
    expect(mongoErrors(new driver.MongoBulkWriteError(...(insert as [never, never])))).toMatchObject(unavailable);
    expect(mongoErrors(new driver.MongoServerError({ message, code: 2 }))).toBeUndefined();
    expect(mongoErrors(serverError(8))).toBeUndefined();
  });

  it.each([2, 9, 11, 13, 18, 26, 121, 11000, 17280])('does not map the server error %d', (code) => {
    expect(mongoErrors(serverError(code))).toBeUndefined();
  });

  it.each(['MongoWaitQueueTimeoutError', 'MongoPoolClosedError'])('maps %s, which is not exported, to 503', (name) => {
    const error = Object.defineProperty(new driver.MongoDriverError('m'), 'name', { value: name });
    expect(mongoErrors(error)).toMatchObject(unavailable);
  });

  it('terminates for cyclic causes', () => {
    const error = new Error('m');
    error.cause = new Error('n', { cause: error });
    expect(mongoErrors(error)).toBeUndefined();
    expect(mongoErrors(Object.assign(new Error('not of the driver'), { code: 50 }))).toBeUndefined();
  });
});

const mongo = await useDatabase();
const proxy = await startCuttableProxy(new URL(mongoUrl));
const cuttable = await connectTo(mongo.db.databaseName, throughPort(mongoUrl, proxy.port));
await mongo.db.createCollection('things');

describe('errors of a real database', () => {
  afterAll(async () => {
    await cuttable.close();
    await proxy.close();
  });

  it('mean unavailability when too few members confirm a write, bulk or single', async () => {
    const things = mongo.db.collection('things');
    const writeConcern = { w: 50, wtimeoutMS: 50 };
    const insertOne = { document: { a: 1 } };
    const writes = [things.insertOne({ a: 1 }, { writeConcern }), things.bulkWrite([{ insertOne }], { writeConcern })];
    for (const failure of await Promise.all(writes.map(failureOf)))
      expect(mongoErrors(failure)).toMatchObject(unavailable);
  });

  it('mean unavailability when the database disappears before a write, bulk or single, or before a commit', async () => {
    const things = cuttable.db.collection('things');
    let open: ClientSession | undefined;
    const commit = cuttable.transaction(async (session) => {
      await things.insertOne({ a: 1 }, { session });
      open = session;
      proxy.cut();
    });
    const failures = await Promise.all([failureOf(commit)]);
    failures.push(
      await failureOf(things.bulkWrite([{ insertOne: { document: { a: 1 } } }])),
      await failureOf(things.insertMany([{ a: 1 }])),
      await failureOf(things.findOneAndUpdate({ a: 1 }, { $set: { b: 1 } })),
    );
    await mongo.db.command({ killSessions: [open!.id] });
    proxy.mend();
    for (const failure of failures) expect(mongoErrors(failure) ?? failure).toMatchObject(unavailable);
  });
});
