import type { S3Client } from '@aws-sdk/client-s3';

const COMMANDS = new Set(['PutObjectCommand', 'UploadPartCommand']);

interface HttpRequest {
  headers: Record<string, string>;
}

/**
 * Makes the client send the bodies of objects and parts as `UNSIGNED-PAYLOAD` (AWS Signature Version 4, "Create a canonical
 * request"): the signature then covers the request line and headers, but not a SHA-256 of the body. Over https this is the
 * SDK's default; over http it hashes each body on the main thread, which takes half a second to two seconds per gigabyte.
 * Plain http protects the content against nobody who can reach the connection, so use https unless the network is trusted.
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
