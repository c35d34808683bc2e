import { once } from 'node:events';
import { beforeAll, describe, expect, it } from '@jest/globals';
import WebSocket from 'ws';
import { eventually } from '@dtplatform/testing';
import { createTenant, type Tenant } from './matrix/tenant.js';
import { signIn } from '@dtplatform/stack/client';
import { dev, send } from './support/platform.js';

/** Size of a binary frame's header. */
const HEADER_BYTES = 12;

describe('the stream of a file set, through the gateway', () => {
  let tenant: Tenant;

  beforeAll(async () => {
    tenant = await createTenant((await signIn(dev, dev.admin)).access_token);
    await eventually(async () => {
      const query = { nsfilter: tenant.namespace };
      const path = `/graphicssvc/api/v1/filestore/${tenant.ids.files}`;
      expect((await send('GET', path, { token: tenant.person.token, query })).body._status).toBe('LOADED');
    });
  });

  const connect = (token: string) =>
    new WebSocket(`${dev.baseUrl.replace('http', 'ws')}/graphicssvc/api/v1/stream`, [
      'dtplatform.v1',
      `bearer.${token}`,
    ]);

  it('sends a browser a file, byte for byte', async () => {
    const socket = connect(tenant.person.token);
    const types: string[] = [];
    const bytes: Buffer[] = [];
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) bytes.push(data.subarray(HEADER_BYTES));
      else types.push((JSON.parse(data.toString()) as { type: string }).type);
    });
    await once(socket, 'open');
    expect(socket.protocol).toBe('dtplatform.v1');
    const open = { type: 'open', requestId: 1, fileSetId: tenant.ids.filesets, nsfilter: tenant.namespace };
    socket.send(JSON.stringify(open));
    await eventually(() => expect(types).toEqual(['opened']));
    socket.send(JSON.stringify({ type: 'read', requestId: 2, fileId: tenant.ids.files }));
    await eventually(() => expect(types).toEqual(['opened', 'header', 'end']));
    const url = `${dev.baseUrl}/filesvc/api/v1/files/${tenant.ids.files}/content?nsfilter=${tenant.namespace}`;
    const stored = await fetch(url, { headers: { authorization: `Bearer ${tenant.person.token}` } });
    expect(Buffer.concat(bytes).equals(Buffer.from(await stored.arrayBuffer()))).toBe(true);
    socket.close();
    await once(socket, 'close');
  });

  it('does not send a deleted version', async () => {
    const { token } = tenant.person;
    const { namespace } = tenant;
    const query = { nsfilter: namespace };
    const upload = async (content: string) => {
      const form = new FormData();
      form.set('_namespaces', namespace);
      form.set('_tags', '#invgraphicsfile#');
      form.set('file', new Blob([content]), 'versions.ifc');
      const { status, body } = await send('POST', '/filesvc/api/v1/files', { token, query, body: form });
      expect(status).toBe(201);
      const [{ _id, _tipId }] = body as [{ _id: string; _tipId: string }];
      const filestore = '/graphicssvc/api/v1/filestore';
      await send('PUT', filestore, { token, query, json: [{ _fileId: _id }] });
      await eventually(async () => {
        const state = await send('GET', `${filestore}/${_id}`, { token, query: { ...query, _fileVersionId: _tipId } });
        expect(state.body._status).toBe('LOADED');
      });
      return { _id, _tipId };
    };
    const first = await upload('the first version');
    const second = await upload('the second version');
    const set = { _name: 'Versions', _namespaces: [namespace], _fileIds: [first._id] };
    const { body: fileSet } = await send('POST', '/graphicssvc/api/v1/filesets', { token, query, json: set });

    const socket = connect(token);
    const messages: { requestId: number; type: string; code?: string }[] = [];
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) messages.push(JSON.parse(data.toString()) as (typeof messages)[number]);
    });
    await once(socket, 'open');
    let requestId = 0;
    const ask = async (message: object) => {
      const own = (requestId += 1);
      socket.send(JSON.stringify({ requestId: own, ...message }));
      return eventually(() => {
        const last = messages.find((each) => each.requestId === own && each.type !== 'header');
        if (!last) throw new Error('no answer');
        return last;
      });
    };
    const read = (fileVersionId: string) => ask({ type: 'read', fileId: first._id, fileVersionId });
    await ask({ type: 'open', fileSetId: fileSet._id, nsfilter: namespace });
    for (const { _tipId } of [first, second]) expect((await read(_tipId)).type).toBe('end');

    const version = `/filesvc/api/v1/files/${first._id}/versions/${first._tipId}`;
    expect((await send('DELETE', version, { token, query })).status).toBe(204);
    await eventually(async () => expect((await read(first._tipId)).code).toBe('FILE_NOT_FOUND'));
    expect((await read(second._tipId)).type).toBe('end');
    socket.close();
    await once(socket, 'close');
  });

  it('rejects an invalid token', async () => {
    const socket = connect('nonsense');
    const [, reply] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
    expect(reply.statusCode).toBe(401);
  });
});
