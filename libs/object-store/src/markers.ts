import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import { isObjectMissing } from './errors.js';

/** Small objects that are written once. */
export function createMarkers(client: S3Client, bucket: string) {
  return {
    /** Stores an object unless there is one: of several callers at the same time, one succeeds. */
    async putIfAbsent(key: string, body: Buffer): Promise<void> {
      const object = { Bucket: bucket, Key: key, Body: body, ContentLength: body.length };
      try {
        await client.send(new PutObjectCommand({ ...object, IfNoneMatch: '*' }));
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    },

    /** A small object as text, or undefined when it does not exist. */
    async readText(key: string): Promise<string | undefined> {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        return await text(Body as Readable);
      } catch (error) {
        if (isObjectMissing(error)) return undefined;
        throw error;
      }
    },
  };
}

const CONFLICTS = new Set([409, 412]);
const isConflict = (error: unknown) =>
  CONFLICTS.has((error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0);
