import { inMongo } from '../../tools/in-pod.js';
import type { Fault } from '../fault.js';

/** The scan of the bucket is due once a day; this makes it due now. */
const scanNow = `await db('filesvc').collection('bucket_scans').updateMany(
  { finishedAt: { $exists: true } }, { $set: { finishedAt: new Date(0) } });`;

/** As after a restore of another installation's database: the bucket belongs to another one. */
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
