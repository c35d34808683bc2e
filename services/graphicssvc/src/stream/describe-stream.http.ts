import { z } from 'zod';
import { MAX_CONNECTIONS_OF_CALLER } from './admission.http.js';
import { clientMessages, MAX_MESSAGE_BYTES, PROTOCOL, serverMessages, STREAM_PATH } from './messages.http.js';
import { MAX_READS } from './stream-reads.http.js';

type Json = Record<string, unknown>;

interface DescribedMessage extends Json {
  name: string;
}

function createMessages() {
  const schemas: Json = {};
  const messages: DescribedMessage[] = [];

  function add(message: DescribedMessage): DescribedMessage {
    messages.push(message);
    return message;
  }

  return {
    schemas,
    messages,
    add,
    addText(name: string, schema: z.ZodType, io: 'input' | 'output'): DescribedMessage {
      const {
        $schema: _dialect,
        definitions = {},
        description,
        ...payload
      } = withReferences(z.toJSONSchema(schema, { io, target: 'draft-7' }));
      Object.assign(schemas, definitions);
      return add({ name, summary: description, contentType: 'application/json', payload });
    },
  };
}

/** References are relative to the document, so they must point into its components. */
const withReferences = (schema: object): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/definitions/', '"#/components/schemas/')) as Json;

const DESCRIPTION = [
  'Files of the graphics file store over a websocket.',
  'The access token is sent in the `Authorization` header or, from a browser, in a subprotocol. Connections are rejected before ' +
    'the upgrade, with an HTTP error: 401 without a valid token, 403 for a page from an origin that is not allowed, 429 ' +
    `for more than ${MAX_CONNECTIONS_OF_CALLER} connections per caller, 503 while the service has too many or is stopping.`,
  `Clients send JSON messages of up to ${MAX_MESSAGE_BYTES} bytes. A connection has one open file set and up to ` +
    `${MAX_READS} reads at a time, whose frames are interleaved. Errors do not close it.`,
  'Close codes: 1001 the server is stopping, 1003 a binary message, 1009 a message that is too large, 4401 the token has ' +
    'expired or was revoked, 4408 the client reads too slowly.',
].join('\n\n');

const BYTES = {
  name: 'Bytes',
  summary:
    'A binary frame with bytes of a file: the requestId of the read (4 bytes) and the offset of its first byte in the file ' +
    '(8 bytes), both unsigned and big-endian, then up to 64 KiB of the file. The frames of a read come in order, without gaps.',
  contentType: 'application/octet-stream',
  payload: { type: 'string', format: 'binary', description: 'The frame; in the example, in hexadecimal digits.' },
};

const HANDSHAKE = {
  method: 'GET',
  headers: {
    type: 'object',
    properties: {
      Authorization: { type: 'string', description: '`Bearer` and the access token.' },
      'Sec-WebSocket-Protocol': {
        type: 'string',
        description: `From a browser: \`${PROTOCOL}, bearer.<access token>\`. The server responds with \`${PROTOCOL}\`.`,
      },
    },
  },
};

const DOCUMENT = {
  asyncapi: '3.1.0',
  info: {
    title: 'Graphics streams',
    version: '1',
    description: DESCRIPTION,
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
};

/** Generates the AsyncAPI 3 document from the schemas that validate messages. */
export function describeStream(): Json {
  const described = createMessages();
  const { schemas, messages } = described;
  const sent = Object.entries(clientMessages).map(([name, schema]) => described.addText(name, schema, 'input'));
  const texts = Object.entries(serverMessages).map(([name, schema]) => described.addText(name, schema, 'output'));
  const received = [...texts, described.add(BYTES)];
  return {
    ...DOCUMENT,
    channels: {
      stream: {
        address: STREAM_PATH,
        description: 'One connection of a viewer.',
        messages: byName(messages, ({ name }) => ({ $ref: `#/components/messages/${name}` })),
        bindings: { ws: HANDSHAKE },
      },
    },
    // From the server's perspective: it receives what clients send.
    operations: {
      receiveRequest: operation('receive', 'Requests of clients.', sent),
      sendReply: operation('send', 'Responses of the server.', received),
    },
    components: {
      messages: byName(messages, (message) => message),
      schemas,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

const byName = (messages: DescribedMessage[], show: (message: DescribedMessage) => Json): Json =>
  Object.fromEntries(messages.map((message) => [message.name, show(message)]));

const operation = (action: 'send' | 'receive', description: string, messages: DescribedMessage[]): Json => ({
  action,
  description,
  channel: { $ref: '#/channels/stream' },
  messages: messages.map(({ name }) => ({ $ref: `#/channels/stream/messages/${name}` })),
  security: [{ $ref: '#/components/securitySchemes/bearer' }],
});
