import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { randomBytes } from 'node:crypto';
import { createCaller, FILES } from '@dtplatform/stack/client';
import type { Bench } from '../bench.js';
import { storeFile } from '../callers/index.js';
import type { Downloads } from '../load/downloads.js';
import type { Side } from '../measure.js';
import { programSide } from '../program-side.js';
import type { S3Relay } from '../references/s3-relay.js';
import type { Row } from '../row.js';
import { createBucket, emptyBucket, s3Client } from '../s3.js';

const MIB = 1024 * 1024;
const BYTES = 16 * MIB;
const SECONDS = 4;
const WARM_UP_SECONDS = 1;
const LOAD = { atOnce: 4, bytes: BYTES };

export const download: Row = {
  row: 'download',
  unit: 'MiB',
  reach: 0.9,
  about:
    'a file of 16 MiB through filesvc, by 4 clients; beside node:http passing it on from the S3 server, without tokens, records, conditions and ranges',
  async prepare(bench) {
    const content = randomBytes(BYTES);
    const { url, pid } = bench.serviceOf('filesvc');
    const id = await upload(bench, content);
    const signed = new URL(await signedUrl(bench, 'bench-download', content));
    const { endpoint } = bench.stack.backends.s3;
    const relay = await bench.serve('references/s3-relay', { endpoint } satisfies S3Relay);
    const ours = {
      url: `${url}${FILES}/${id}/content?nsfilter=${bench.namespace}`,
      headers: { authorization: `Bearer ${bench.token}` },
    };
    return {
      ours: downloadSide({ ...LOAD, ...ours }, pid),
      reference: downloadSide({ ...LOAD, url: relay.url + signed.pathname + signed.search, headers: {} }, relay.pid),
    };
  },
};

export const downloadByUrl: Row = {
  row: 'download-by-url',
  unit: 'MiB',
  reach: 0.95,
  about: 'a file of 16 MiB from its `_url`, by 4 clients; beside a signed URL of the S3 server',
  async prepare(bench) {
    const content = randomBytes(BYTES);
    const { serviceOf, token, namespace } = bench;
    const caller = createCaller({ baseUrl: serviceOf('filesvc').url, token });
    const { body } = await caller.call<{ _url: string }>('GET', `${FILES}/${await upload(bench, content)}/url`, {
      query: { nsfilter: namespace },
    });
    return {
      ours: downloadSide({ ...LOAD, url: body._url, headers: {} }),
      reference: downloadSide({ ...LOAD, url: await signedUrl(bench, 'bench-download-by-url', content), headers: {} }),
    };
  },
};

const upload = ({ serviceOf, token, namespace }: Bench, content: Buffer<ArrayBuffer>): Promise<string> =>
  storeFile({ caller: createCaller({ baseUrl: serviceOf('filesvc').url, token }), namespace }, content);

async function signedUrl(bench: Bench, bucket: string, content: Buffer): Promise<string> {
  const place = await createBucket(bench, bucket);
  bench.afterRow(() => emptyBucket(place));
  const client = s3Client(place);
  const object = { Bucket: place.bucket, Key: 'bench.bin' };
  await client.send(new PutObjectCommand({ ...object, Body: content }));
  return getSignedUrl(client, new GetObjectCommand(object), { expiresIn: 3600 });
}

/** Mebibytes per second, received by a separate process. */
const downloadSide = (request: Omit<Downloads, 'seconds'>, pid?: number): Side =>
  programSide<Downloads>('load/downloads', request, { seconds: SECONDS, warmUpSeconds: WARM_UP_SECONDS, pid });
