import type { Bench } from '../bench.js';
import type { PatchTarget } from '../load/upload-by-patches.js';
import type { S3Relay } from '../references/s3-relay.js';
import type { Row } from '../row.js';
import { createBucket, type S3Place } from '../s3.js';
import { uploadSide } from '../upload-side.js';

const MIB = 1024 * 1024;
/** The bucket of filesvc in the local stack. */
const FILES_BUCKET = 'dtplatform-filesvc';

export const resumableUpload: Row = {
  row: 'resumable-upload',
  unit: 'MiB',
  reach: 1.1,
  about: '512 MiB in PATCHes of 64 MiB; beside @aws-sdk/lib-storage, straight to the S3 server',
  async prepare(bench) {
    const place = await createBucket(bench, 'bench-lib-storage');
    const load = { bytes: 512 * MIB, atOnce: 1 };
    const { pid } = bench.serviceOf('filesvc');
    return {
      ours: uploadSide({ ...load, target: filesvc(bench, 64 * MIB) }, stored(bench), pid),
      reference: uploadSide({ ...load, target: { kind: 's3', place } }, place),
    };
  },
};

export const resumableUploads: Row = {
  row: 'resumable-upload-16',
  unit: 'MiB',
  reach: 2,
  about: '16 at once, 32 MiB each in one PATCH; beside @tus/server with @tus/s3-store',
  async prepare(bench) {
    const place = await createBucket(bench, 'bench-tus');
    const tus = await bench.serve('references/tus-s3-server', place);
    const load = { bytes: 32 * MIB, atOnce: 16 };
    const { pid } = bench.serviceOf('filesvc');
    return {
      ours: uploadSide({ ...load, target: filesvc(bench, 32 * MIB) }, stored(bench), pid),
      reference: uploadSide({ ...load, target: { kind: 'tus', url: tus.url } }, place, tus.pid),
    };
  },
};

export const formUpload: Row = {
  row: 'multipart',
  unit: 'MiB',
  reach: 0.9,
  about:
    '256 MiB in one form; beside one PUT that node:http passes on to the S3 server, without tokens, records and parts',
  async prepare(bench) {
    const place = await createBucket(bench, 'bench-put');
    const relay = await bench.serve('references/s3-relay', { endpoint: place.endpoint } satisfies S3Relay);
    const load = { bytes: 256 * MIB, atOnce: 1 };
    const { url, pid } = bench.serviceOf('filesvc');
    const { token, namespace } = bench;
    return {
      ours: uploadSide({ ...load, target: { kind: 'form', url, token, namespace } }, stored(bench), pid),
      reference: uploadSide({ ...load, target: { kind: 'put', place, relay: relay.url } }, place, relay.pid),
    };
  },
};

const filesvc = ({ serviceOf, token, namespace }: Bench, patchBytes: number): PatchTarget => ({
  ...{ kind: 'patches', url: serviceOf('filesvc').url, token, namespace, patchBytes },
});

const stored = ({ stack }: Bench): S3Place => ({ ...stack.backends.s3, bucket: FILES_BUCKET });
