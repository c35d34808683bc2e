import path from 'node:path';
import { BSON } from 'mongodb';
import type { Collection, Document, IndexDescription } from 'mongodb';
import type { Context } from '../context.js';
import type { Databases } from '../databases.js';
import { isTimeSeries } from '../backup/dump-collection.js';
import { ContentDigest } from '../documents/digest.js';
import { readExactly } from '../documents/exact.js';
import { documentsOf } from '../store/dump-file.js';
import type { DumpedCollection } from '../store/manifest.js';

const BATCH_DOCUMENTS = 2_000;
const BATCH_BYTES = 8 * 1024 * 1024;

interface Target extends Context {
  databases: Databases;
  dir: string;
}

/**
 * Writes one collection, reads it back to compare it with the backup, and then creates its indexes: a TTL index would
 * remove documents before they are counted.
 * @throws if it differs from the backup
 */
export async function restoreCollection(
  { databases, dir, signal }: Target,
  service: string,
  dumped: DumpedCollection,
): Promise<void> {
  const options = fromJson(dumped.options);
  const collection = await databases.of(service).createCollection(dumped.name, options);
  await insertAll(collection, documentsOf(path.join(dir, dumped.file), signal));
  await compare(collection, service, dumped);
  const indexes = dumped.indexes.map(fromJson).filter(({ name }) => name !== '_id_');
  if (indexes.length > 0) await collection.createIndexes(indexes as unknown as IndexDescription[]);
}

const fromJson = (json: Record<string, unknown>) => BSON.EJSON.deserialize(json, { relaxed: false }) as Document;

async function insertAll(collection: Collection, documents: AsyncIterable<Buffer>): Promise<void> {
  let batch: Document[] = [];
  let bytes = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    const writing = { ordered: false, bypassDocumentValidation: true, forceServerObjectId: true };
    await collection.insertMany(batch, writing);
    [batch, bytes] = [[], 0];
  };
  for await (const document of documents) {
    batch.push(readExactly(document));
    bytes += document.length;
    if (batch.length >= BATCH_DOCUMENTS || bytes >= BATCH_BYTES) await flush();
  }
  await flush();
}

async function compare(collection: Collection, service: string, dumped: DumpedCollection): Promise<void> {
  const digest = new ContentDigest({ sortsFields: isTimeSeries(dumped.options) });
  for await (const document of collection.find({}, { raw: true, readConcern: 'majority' }))
    digest.add(document as unknown as Uint8Array);
  const is = `${digest.documents} documents with digest ${digest.toString()}`;
  const wanted = `${dumped.documents} documents with digest ${dumped.digest}`;
  if (is !== wanted)
    throw new Error(`${service}.${dumped.name} holds ${is} after the restore, and the backup ${wanted}`);
}
