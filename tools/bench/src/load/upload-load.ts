import { ownUsage, type Usage } from '../usage.js';
import { argument } from './argument.js';
import { uploadByPatches, type PatchTarget } from './upload-by-patches.js';
import { uploadByTus, type TusTarget } from './upload-by-tus.js';
import { uploadToS3, type S3Target } from './upload-to-s3.js';

/** Concurrent uploads of the same size to one kind of target. */
export interface UploadLoad {
  target: PatchTarget | TusTarget | S3Target;
  bytes: number;
  atOnce: number;
}

export interface UploadLoadResult {
  mebibytesPerSecond: number;
  mebibytes: number;
  /** Of this process. */
  usage: Usage;
}

const { target, bytes, atOnce } = argument<UploadLoad>();
const begun = performance.now();
await Promise.all(Array.from({ length: atOnce }, () => upload()));
const seconds = (performance.now() - begun) / 1000;
const mebibytes = (bytes * atOnce) / 2 ** 20;
const result: UploadLoadResult = { mebibytesPerSecond: mebibytes / seconds, mebibytes, usage: ownUsage() };
console.log(JSON.stringify(result));
process.exit(0); // kept-alive connections

function upload(): Promise<void> {
  if (target.kind === 'patches') return uploadByPatches(target, bytes);
  return target.kind === 'tus' ? uploadByTus(target, bytes) : uploadToS3(target, bytes);
}
