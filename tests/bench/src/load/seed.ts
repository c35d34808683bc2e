import { type Document, MongoClient } from 'mongodb';

const BATCH = 2_000;
const BATCHES_AT_ONCE = 3;

/** Inserts documents, a few batches at a time, and then those of other collections. */
export async function seed(
  { mongoUrl, database, collection, count }: { mongoUrl: string; database: string; collection: string; count: number },
  documentOf: (n: number) => Document | Promise<Document>,
  more: Record<string, Document[]> = {},
): Promise<void> {
  const client = await MongoClient.connect(mongoUrl, { ignoreUndefined: true });
  const db = client.db(database);
  let next = 0;
  const insertUntilTheEnd = async () => {
    while (next < count) {
      const first = next;
      next = Math.min(count, first + BATCH);
      const made = Array.from({ length: next - first }, async (_, n) => documentOf(first + n));
      await db.collection(collection).insertMany(await Promise.all(made), { ordered: false });
    }
  };
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, insertUntilTheEnd));
  for (const [name, documents] of Object.entries(more)) await db.collection(name).insertMany(documents);
  await client.close();
  console.log(JSON.stringify({ count }));
}
