import { randomBytes } from 'node:crypto';
import { request as send } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@dtplatform/stack';
import { FILES, FILESTORE } from '@dtplatform/stack/client';
import { keepCalling, type Fault, type Lab } from '../fault.js';

/** More than the buffers of all sockets on the way. */
const FILE_BYTES = 64 * 2 ** 20;
const CLIENTS = 12;
/** How long a client does not read its websocket: longer than the half minute after which graphicssvc closes it. */
const IDLE_MS = 36_000;
/** Spreads their ends. */
const BETWEEN_MS = 3_000;
/** For the handshake and the responses. */
const SHORT_MS = 500;

/** Loads a large file into the file store and a file set. */
async function storeLargeFile({ user: { caller, namespace }, signal }: Lab) {
  const query = { nsfilter: namespace };
  const body = new FormData();
  body.set('_namespaces', namespace);
  body.set('_tags', '#invgraphicsfile#');
  body.set('file', new Blob([randomBytes(FILE_BYTES)]), 'large.bin');
  const stored = await caller.call<{ _id: string }[]>('POST', FILES, { query, body, expect: 201 });
  const fileId = stored.body[0]!._id;
  await caller.call('PUT', FILESTORE, { query, json: [{ _fileId: fileId }] });
  const isLoaded = () =>
    caller
      .call<{ _status: string }>('GET', `/graphicssvc/api/v1/filestore/${fileId}`, { query })
      .then(({ body: load }) => load._status === 'LOADED')
      .catch(() => false);
  await until('a large file is loaded', isLoaded, { timeoutMs: 60_000, everyMs: 500, signal });
  const json = { _name: 'Large', _namespaces: [namespace], _fileIds: [fileId] };
  const set = await caller.call<{ _id: string }>('POST', '/graphicssvc/api/v1/filesets', { query, json, expect: 201 });
  return { fileId, fileSetId: set.body._id };
}

/** Opens a websocket (RFC 6455) that never reads. */
function openWebsocket({ dev, user }: Lab): Promise<Socket> {
  const headers = {
    ...{ connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
    'sec-websocket-key': randomBytes(16).toString('base64'),
    'sec-websocket-protocol': `dtplatform.v1, bearer.${user.caller.token}`,
  };
  const url = new URL('/graphicssvc/api/v1/stream', dev.baseUrl);
  const outgoing = send(url, { headers, agent: false }).end();
  return new Promise((resolve, reject) => {
    outgoing.once('error', reject).once('response', ({ statusCode }) => reject(new Error(`answered ${statusCode}`)));
    outgoing.once('upgrade', (_, socket: Socket) => resolve(socket.on('error', () => undefined).pause()));
  });
}

/** A text message of up to 64 KiB, masked with zeros. */
function frameOf(message: object): Buffer {
  const payload = Buffer.from(JSON.stringify(message));
  const head = Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0]);
  return Buffer.concat([head, payload]);
}

export const websocketsAreSlow: Fault = {
  what: 'Viewers do not read what they have asked for',
  fires: { StreamClientsAreSlow: ['graphicssvc'] },
  async make(lab) {
    const { fileId, fileSetId } = await storeLargeFile(lab);
    let opened = 0;
    const readNothing = async () => {
      if (opened++ < CLIENTS) await sleep(opened * BETWEEN_MS);
      const socket = await openWebsocket(lab);
      socket.write(frameOf({ type: 'open', requestId: 1, fileSetId, nsfilter: lab.user.namespace }));
      await sleep(SHORT_MS);
      socket.write(frameOf({ type: 'read', requestId: 2, fileId }));
      await sleep(IDLE_MS);
      socket.destroy();
    };
    return keepCalling(
      lab,
      Array.from({ length: CLIENTS }, () => readNothing),
    );
  },
};
