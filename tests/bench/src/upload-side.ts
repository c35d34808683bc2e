import { runProgram } from './child.js';
import type { UploadLoad } from './load/upload-load.js';
import type { Round, Side } from './measure.js';
import { emptyBucket, type S3Place } from './s3.js';
import { observed } from './usage.js';

/**
 * Mebibytes per second, with the content from a separate process. Deletes the uploads after each round.
 * @param pid the process that receives the uploads; without it the load goes straight to S3 and its own usage counts
 */
export function uploadSide(load: UploadLoad, stored: S3Place, pid?: number): Side {
  const upload = async (bytes: number): Promise<Round> => {
    const work = () => runProgram<Round>('load/upload-load', { ...load, bytes });
    const round = await (pid === undefined ? work() : observed(pid, work));
    await emptyBucket(stored);
    return round;
  };
  return { run: () => upload(load.bytes), warmUp: () => upload(load.bytes / 4) };
}
