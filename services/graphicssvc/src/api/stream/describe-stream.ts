import { z } from 'zod';
import { clientMessages, serverMessages, PROTOCOL, STREAM_PATH } from './stream.messages.js';

type Json = Record<string, unknown>;

const BYTES_DESCRIPTION =
  'A binary frame with bytes of a file: the requestId of the read (4 bytes) and the offset of its first byte in the file ' +
  '(8 bytes), both unsigned and big-endian, then up to 64 KiB of the file. The frames of a read come in order, without gaps.';

/** The AsyncAPI 3 document of the stream, from the schemas that check its messages. */
export function describeStream(): Json {
  const sent = Object.entries(clientMessages).map(
    ([name, schema]) => [name, textMessage(name, schema, 'input')] as const,
  );
  const received = [
    ...Object.entries(serverMessages).map(([name, schema]) => [name, textMessage(name, schema, 'output')] as const),
    ['Bytes', { name: 'Bytes', summary: BYTES_DESCRIPTION, contentType: 'application/octet-stream' }] as const,
  ];
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Graphics streams',
      version: '1',
      description:
        `Files of the graphics file store over a websocket. The token is in the header Authorization, or, from a browser, ` +
        `in the subprotocols: ${PROTOCOL}, bearer.<token>. Close codes: 1001 the server is stopping, 1003 a binary ` +
        `message, 1009 a message that is too large, 4401 the token has expired or was revoked, 4408 the client reads ` +
        'too slowly.',
      contact: { name: 'dtplatform' },
      license: { name: 'Apache-2.0' },
      tags: [{ name: 'graphicssvc', description: 'Files of the graphics file store.' }],
    },
    servers: {
      platform: {
        host: '{host}',
        protocol: 'wss',
        description: 'An installation of the platform.',
        variables: { host: { description: 'The host of its base URL.' } },
      },
    },
    defaultContentType: 'application/json',
    channels: {
      stream: {
        address: STREAM_PATH,
        messages: Object.fromEntries(
          [...sent, ...received].map(([name]) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: { ws: { method: 'GET' } },
      },
    },
    // As the server sees it: it receives what clients send.
    operations: {
      receiveRequest: operation('receive', 'What clients ask for.', sent),
      sendReply: operation('send', 'What the server answers.', received),
    },
    components: {
      messages: Object.fromEntries([...sent, ...received]),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

const operation = (action: 'send' | 'receive', description: string, messages: (readonly [string, Json])[]): Json => ({
  action,
  description,
  channel: { $ref: '#/channels/stream' },
  messages: messages.map(([name]) => ({ $ref: `#/channels/stream/messages/${name}` })),
  security: [{ $ref: '#/components/securitySchemes/bearer' }],
});

function textMessage(name: string, schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, description, ...payload } = z.toJSONSchema(schema, { io, target: 'draft-7' });
  return { name, summary: description, contentType: 'application/json', payload };
}
