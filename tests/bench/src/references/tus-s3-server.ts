import { S3Store } from '@tus/s3-store';
import { Server } from '@tus/server';
import { argument } from '../load/program.js';
import { clientConfig, type S3Place } from '../s3.js';
import { serve } from './serve.js';

/** @tus/server with @tus/s3-store in their default configuration, on the same S3 server. */
const place = argument<S3Place>();
const datastore = new S3Store({
  s3ClientConfig: { ...clientConfig(place), bucket: place.bucket },
});
const tus = new Server({ path: '/files', datastore });
serve((req, res) => void tus.handle(req, res), '/files');
