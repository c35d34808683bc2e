import { MongoClient } from 'mongodb';
import type { nameKeys, newFile } from '../../../../services/filesvc/src/files/placement.js';
import { argument } from './argument.js';

/** Writes files into filesvc's database as filesvc does (files/placement.ts). */
export interface SeedFiles {
  mongoUrl: string;
  database: string;
  namespace: string;
  files: number;
}

const BATCH = 2_000;
const BATCHES_AT_ONCE = 3;
const AUTHOR = { id: 'bench', name: 'Bench' };

const { mongoUrl, database, namespace, files } = argument<SeedFiles>();
const program = new URL('../../../../services/filesvc/dist/files/placement.js', import.meta.url).href;
const filesvc = (await import(program)) as { newFile: typeof newFile; nameKeys: typeof nameKeys };

const client = await MongoClient.connect(mongoUrl, { ignoreUndefined: true });
const collection = client.db(database).collection<{ _id: string }>('files');
let next = 0;
await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, insertUntilTheEnd));
await client.close();
console.log(JSON.stringify({ files: next }));

async function insertUntilTheEnd(): Promise<void> {
  while (next < files) {
    const first = next;
    next = Math.min(files, first + BATCH);
    const made = Array.from({ length: next - first }, (_, n) => fileOf(first + n));
    await collection.insertMany(made, { ordered: false });
  }
}

function fileOf(n: number) {
  const place = { name: `drawing-${String(n).padStart(7, '0')}.pdf`, namespaces: [namespace], parents: [] };
  const placement = { ...place, home: namespace, ancestors: [], nameKeys: filesvc.nameKeys(place, 'file') };
  const id = `${files.toString(16).padStart(12, '0')}${n.toString(16).padStart(12, '0')}`;
  const details = { status: 'UPLOAD_COMPLETED', tags: ['drawing'], author: AUTHOR } as const;
  return filesvc.newFile(id, placement, 'file', { ...details, tags: [...details.tags] });
}
