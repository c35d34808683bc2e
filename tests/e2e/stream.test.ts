import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import WebSocket from 'ws';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace } from './support/people.js';
import { dev } from './support/platform.js';
import { must, uploadFile } from './support/resources.js';

const GRAPHICS = '/graphicssvc/api/v1';
/** Size of a binary frame's header. */
const HEADER_BYTES = 12;

it('a stream through the gateway sends a file of a file set, byte for byte', async () => {
  const owner = await enter();
  const nsfilter = await openWorkspace(owner);
  const request = { token: owner.token, query: { nsfilter } };
  const content = randomBytes(500_000).toString('hex');
  const fileId = await uploadFile(owner, nsfilter, { content, tags: '#invgraphicsfile#' });
  await must(200, 'PUT', `${GRAPHICS}/filestore`, { ...request, json: [{ _fileId: fileId }] });
  const json = { _name: 'Models', _namespaces: [nsfilter], _fileIds: [fileId] };
  const { body: fileSet } = await must(201, 'POST', `${GRAPHICS}/filesets`, { ...request, json });
  await eventually(async () => {
    const { body } = await must(200, 'GET', `${GRAPHICS}/filestore/${fileId}`, request);
    expect(body._status).toBe('LOADED');
  });

  const url = `${dev.baseUrl.replace('http', 'ws')}${GRAPHICS}/stream`;
  const socket = new WebSocket(url, ['dtplatform.v1', `bearer.${owner.token}`]);
  const types: string[] = [];
  const bytes: Buffer[] = [];
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) bytes.push(data.subarray(HEADER_BYTES));
    else types.push((JSON.parse(data.toString()) as { type: string }).type);
  });
  await once(socket, 'open');
  expect(socket.protocol).toBe('dtplatform.v1');
  socket.send(JSON.stringify({ type: 'open', requestId: 1, fileSetId: fileSet._id, nsfilter }));
  await eventually(() => expect(types).toEqual(['opened']));
  socket.send(JSON.stringify({ type: 'read', requestId: 2, fileId }));
  await eventually(() => expect(types).toEqual(['opened', 'header', 'end']));
  expect(Buffer.concat(bytes).equals(Buffer.from(content))).toBe(true);
  socket.close();
  await once(socket, 'close');
});
