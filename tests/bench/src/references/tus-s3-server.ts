import { createServer } from 'node:http';
import { S3Store } from '@tus/s3-store';
import { Server } from '@tus/server';
import { argument } from '../load/program.js';
import type { S3Place } from '../s3.js';
import { serve } from './serve.js';

/** @tus/server with @tus/s3-store in their default configuration, on the same S3 server. */
const { endpoint, region, accessKey, secretKey, bucket } = argument<S3Place>();
const datastore = new S3Store({
  s3ClientConfig: {
    ...{ bucket, endpoint, region, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' },
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
  },
});
const tus = new Server({ path: '/files', datastore });
serve(
  createServer((req, res) => void tus.handle(req, res)),
  '/files',
);
