import { ownUsage } from '../usage.js';
import { argument, finish } from './program.js';
import { uploadByForm, type FormTarget } from './upload-by-form.js';
import { uploadByPatches, type PatchTarget } from './upload-by-patches.js';
import { uploadByPut, type PutTarget } from './upload-by-put.js';
import { uploadByTus, type TusTarget } from './upload-by-tus.js';
import { uploadToS3, type S3Target } from './upload-to-s3.js';

/** Concurrent uploads of the same size to one kind of target. */
export interface UploadLoad {
  target: PatchTarget | FormTarget | TusTarget | S3Target | PutTarget;
  bytes: number;
  atOnce: number;
}

const { target, bytes, atOnce } = argument<UploadLoad>();
const begun = performance.now();
await Promise.all(Array.from({ length: atOnce }, () => upload()));
const seconds = (performance.now() - begun) / 1000;
const mebibytes = (bytes * atOnce) / 2 ** 20;
finish({ perSecond: mebibytes / seconds, done: mebibytes, usage: ownUsage() });

function upload(): Promise<void> {
  switch (target.kind) {
    case 'patches':
      return uploadByPatches(target, bytes);
    case 'form':
      return uploadByForm(target, bytes);
    case 'tus':
      return uploadByTus(target, bytes);
    case 's3':
      return uploadToS3(target, bytes);
    case 'put':
      return uploadByPut(target, bytes);
  }
}
