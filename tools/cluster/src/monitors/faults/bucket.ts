import { inMongo } from '../../tools/in-pod.js';
import type { Fault } from '../fault.js';

/** The scan of the bucket rests for a day; it begins at once. */
const scanNow = `await db('filesvc').collection('bucket_scans').updateMany(
  { finishedAt: { $exists: true } }, { $set: { finishedAt: new Date(0) } });`;

/** As after a restore of another installation's database: the bucket names the one that it belongs to. */
export const bucketIsForeign: Fault = {
  what: 'The bucket of filesvc belongs to another installation',
  fires: { BucketScanStopped: ['filesvc'] },
  async make({ kubectl }) {
    const rename = (from: string, to: string) =>
      inMongo(
        kubectl,
        `const installations = db('filesvc').collection('installations');
const [one] = await installations.find().toArray();
await installations.updateOne({ _id: one._id }, { $set: { bucketId: one.bucketId.replace(${from}, '${to}') } });
${scanNow}`,
      );
    await rename('/^/', 'foreign-');
    return () => rename('/^foreign-/', '');
  },
};
