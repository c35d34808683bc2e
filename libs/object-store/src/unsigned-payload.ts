import type { S3Client } from '@aws-sdk/client-s3';

const COMMANDS = new Set(['PutObjectCommand', 'UploadPartCommand']);

interface HttpRequest {
  headers: Record<string, string>;
}

/**
 * Makes the client send bodies of objects and parts as `UNSIGNED-PAYLOAD` (AWS Signature Version 4, "Create a canonical request"): the
 * signature then covers the request line and headers, not a SHA-256 of the body. Over https the SDK does so by itself; over http it hashes
 * each body on the main thread, half a second to two seconds for a gigabyte. Whoever could change bytes on a plain http connection to the store could
 * read them too, so use https where the network is not trusted.
 */
export function sendPayloadUnsigned(client: S3Client): void {
  client.middlewareStack.add(
    (next, context) => (args) => {
      if (COMMANDS.has(context.commandName ?? '')) {
        (args.request as HttpRequest).headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
      }
      return next(args);
    },
    { step: 'build', name: 'sendPayloadUnsigned' },
  );
}
