import { randomBytes } from 'node:crypto';
import { request as send } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFileSet, loadGraphics } from '@dtplatform/bench/callers';
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
    const fileId = await loadGraphics(lab.user, randomBytes(FILE_BYTES));
    const fileSetId = await createFileSet(lab.user, fileId);
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
