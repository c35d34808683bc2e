import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { randomBytes } from 'node:crypto';
import { createCaller, FILES } from '@dtplatform/stack/client';
import type { Bench } from '../bench.js';
import { runProgram, startServer } from '../child.js';
import type { Downloads, DownloadsResult } from '../load/downloads.js';
import type { Round, Side } from '../measure.js';
import type { S3Relay } from '../references/s3-relay.js';
import type { Row } from '../row.js';
import { createBucket, emptyBucket, s3Client, type S3Place } from '../s3.js';
import { usageDuring } from '../usage.js';

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
    const place = placeOf(bench, 'bench-download');
    const { url, pid } = bench.serviceOf('filesvc');
    const id = await upload(bench, content);
    const signed = new URL(await signedUrl(place, content));
    const relay = await startServer('references/s3-relay', { endpoint: place.endpoint } satisfies S3Relay);
    const ours = {
      url: `${url}${FILES}/${id}/content?nsfilter=${bench.namespace}`,
      headers: { authorization: `Bearer ${bench.token}` },
    };
    return {
      ours: downloadSide({ ...LOAD, ...ours }, pid),
      reference: downloadSide({ ...LOAD, url: relay.url + signed.pathname + signed.search, headers: {} }, relay.pid),
      close: async () => {
        await relay.stop();
        await emptyBucket(place);
      },
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
    const place = placeOf(bench, 'bench-download-by-url');
    const { serviceOf, token, namespace } = bench;
    const caller = createCaller({ baseUrl: serviceOf('filesvc').url, token });
    const { body } = await caller.call<{ _url: string }>('GET', `${FILES}/${await upload(bench, content)}/url`, {
      query: { nsfilter: namespace },
    });
    return {
      ours: downloadSide({ ...LOAD, url: body._url, headers: {} }),
      reference: downloadSide({ ...LOAD, url: await signedUrl(place, content), headers: {} }),
      close: () => emptyBucket(place),
    };
  },
};

const placeOf = ({ stack }: Bench, bucket: string): S3Place => ({ ...stack.backends.s3, bucket });

async function upload({ serviceOf, token, namespace }: Bench, content: Buffer): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(content)]), 'bench.bin');
  const caller = createCaller({ baseUrl: serviceOf('filesvc').url, token });
  const { body } = await caller.call<[{ _id: string }]>('POST', FILES, {
    query: { nsfilter: namespace, _namespaces: namespace },
    ...{ body: form, expect: 201 },
  });
  return body[0]._id;
}

async function signedUrl(place: S3Place, content: Buffer): Promise<string> {
  await createBucket(place);
  const client = s3Client(place);
  const object = { Bucket: place.bucket, Key: 'bench.bin' };
  await client.send(new PutObjectCommand({ ...object, Body: content }));
  return getSignedUrl(client, new GetObjectCommand(object), { expiresIn: 3600 });
}

/** Mebibytes per second, received by a separate process. */
function downloadSide(request: Omit<Downloads, 'seconds'>, pid?: number): Side {
  const load = async (seconds: number): Promise<Round> => {
    const work = () => runProgram<DownloadsResult>('load/downloads', { ...request, seconds } satisfies Downloads);
    const { result, usage } = pid === undefined ? { result: await work() } : await usageDuring(pid, work);
    return { perSecond: result.mebibytesPerSecond, done: result.mebibytes, usage };
  };
  return { run: () => load(SECONDS), warmUp: () => load(WARM_UP_SECONDS) };
}
