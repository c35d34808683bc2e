import path from 'node:path';
import { Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { BSON } from 'mongodb';
import type { Context } from '../context.js';
import type { CollectionInfo, Databases } from '../databases.js';
import { ContentDigest } from '../documents/digest.js';
import { writeWhole } from '../store/files.js';
import type { DumpedCollection } from '../store/manifest.js';
import type { Snapshot } from './snapshot.js';

const BATCH = 5_000;

interface Dump extends Context {
  databases: Databases;
  session: Snapshot['session'];
  dir: string;
}

export const isTimeSeries = (options: Record<string, unknown>): boolean => options.timeseries !== undefined;

/** Dumps one collection at the session's point in time, as compressed BSON like mongodump. */
export async function dumpCollection(
  { databases, session, dir, signal }: Dump,
  { service, name, options }: CollectionInfo,
): Promise<DumpedCollection> {
  const collection = databases.of(service).collection(name);
  const indexes = await collection.indexes();
  const digest = new ContentDigest({ sortsFields: isTimeSeries(options) });
  const documents = collection.find({}, { session, raw: true, batchSize: BATCH });

  async function* read(): AsyncGenerator<Uint8Array> {
    for await (const document of documents) {
      const bytes = document as unknown as Uint8Array;
      digest.add(bytes);
      yield bytes;
    }
  }
  const file = `${service}.${name}.bson.gz`;
  const written = await writeWhole(path.join(dir, file), Readable.from(inChunks(read()), { objectMode: false }), {
    signal,
    through: [createGzip({ level: constants.Z_BEST_SPEED })],
  });
  return {
    ...{ name, file, ...written, documents: digest.documents, documentBytes: digest.bytes },
    digest: digest.toString(),
    options: asJson(options),
    indexes: indexes.map(({ v: _version, ns: _namespace, ...index }) => asJson(index)),
  };
}

const asJson = (document: object) => BSON.EJSON.serialize(document, { relaxed: false }) as Record<string, unknown>;

const CHUNK_BYTES = 256 * 1024;

/** Small documents one by one would slow down compression. */
async function* inChunks(documents: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const document of documents) {
    waiting.push(document);
    bytes += document.length;
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(waiting);
    [waiting, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
