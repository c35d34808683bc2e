import { runProgram } from './child.js';
import type { UploadLoad, UploadLoadResult } from './load/upload-load.js';
import type { Side } from './measure.js';
import { emptyBucket, type S3Place } from './s3.js';

/** Mebibytes per second, with the content from a separate process. The uploads are deleted after each round. */
export function uploadSide(load: UploadLoad, stored: S3Place): Side {
  const upload = async (bytes: number) => {
    const { mebibytesPerSecond } = await runProgram<UploadLoadResult>('load/upload-load', { ...load, bytes });
    await emptyBucket(stored);
    return mebibytesPerSecond;
  };
  return { run: () => upload(load.bytes), warmUp: () => upload(load.bytes / 4) };
}
