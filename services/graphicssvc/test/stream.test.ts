import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import WebSocket from 'ws';
import { eventually, REFUSED_JSON } from '@dtplatform/testing';
import { sha256 } from './start-app.js';
import { rejectionOf } from './stream-client.js';
import { app, client, fileSet, loaded, MiB, olga, streamOf } from './stream-app.js';

describe('the stream', () => {
  describe('sends', () => {
    it('the state of a file set, then whole files, several at once', async () => {
      const files = [await loaded(3 * MiB + 17), await loaded(1), await loaded(0), await loaded(512 * 1024)];
      const set = await fileSet(files);
      const stream = await client();
      expect(await stream.open(set)).toEqual({
        type: 'opened',
        requestId: 1,
        fileSet: { _id: set, _name: 'Tower' },
        files: files.map(({ id, versionId, content }) => ({
          ...{ _fileId: id, _fileVersionId: versionId, _status: 'LOADED', _size: content.length, _message: '' },
        })),
      });
      const reads = await Promise.all(files.map(({ id }) => stream.read(id)));
      for (const [place, { last, header, content }] of reads.entries()) {
        const file = files[place]!;
        expect(last.type).toBe('end');
        expect(header).toMatchObject({ fileVersionId: file.versionId, size: file.content.length, offset: 0 });
        expect(sha256(content)).toBe(sha256(file.content));
      }
      expect(stream.problems).toEqual([]);
    });

    it('ranges, such as the rest after a lost connection', async () => {
      const file = await loaded(2 * MiB + 5);
      const set = await fileSet([file]);
      const first = await client();
      await first.open(set);
      const range = await first.read(file.id, { offset: 1000, length: 600_000 });
      expect(range.header).toMatchObject({ offset: 1000, length: 600_000, size: file.content.length });
      expect(range.content.equals(file.content.subarray(1000, 601_000))).toBe(true);
      expect((await first.read(file.id, { offset: file.content.length })).content).toHaveLength(0);
      expect((await first.read(file.id, { offset: 5, length: 0 })).last.type).toBe('end');
      expect((await first.read(file.id, { offset: file.content.length - 3, length: 10 })).content).toHaveLength(3);

      const requestId = first.send({ type: 'read', fileId: file.id });
      await eventually(() => expect(first.received(requestId).length).toBeGreaterThan(0), { everyMs: 1 });
      first.close();
      await first.untilClosed();
      const got = first.received(requestId);
      const { fileVersionId } = await first.until(requestId, 'header');
      const second = await client();
      await second.open(set);
      const rest = await second.read(file.id, { offset: got.length, fileVersionId });
      expect(sha256(Buffer.concat([got, rest.content]))).toBe(sha256(file.content));
    });
  });

  it('sends the loaded version while a newer one is loading', async () => {
    const file = await loaded(1000);
    const before = { ...file };
    app.files.replace(file, randomBytes(2000));
    await app.loaded(olga, file);
    await app.loads.updateOne({ _fileVersionId: file.versionId }, { $set: { _status: 'LOADING' } });
    const stream = await client();
    const opened = await stream.open(await fileSet([file]));
    expect(opened).toMatchObject({ files: [{ _fileVersionId: before.versionId, _status: 'LOADED' }] });
    expect((await stream.read(file.id)).content.equals(before.content)).toBe(true);
  });

  describe('does not send', () => {
    it('files that are not loaded, but their state', async () => {
      const [never, skipped] = [app.files.add(), app.files.add({ tags: [] })];
      await app.put(olga, [{ _fileId: skipped.id }]).expect(200);
      await app.untilStatus(olga, skipped.id, 'SKIPPED');
      const stream = await client();
      const { files } = (await stream.open(await fileSet([never, skipped]))) as { files?: unknown };
      expect(files).toEqual([
        { _fileId: never.id, _status: 'NOT_REQUESTED' },
        expect.objectContaining({ _fileId: skipped.id, _status: 'SKIPPED' }),
      ]);
      for (const [{ id }, message] of [[never, 'NOT_REQUESTED'] as const, [skipped, 'SKIPPED'] as const]) {
        const state = { code: 'NOT_LOADED', status: 409, errors: [{ location: '_status', message }] };
        expect((await stream.read(id)).last).toMatchObject(state);
      }
    });

    it('sets and files that the caller may not read, and files outside the set', async () => {
      const [file, other] = [await loaded(10), await loaded(10)];
      const hidden = app.files.add({ readers: ['olga'] });
      const set = await fileSet([file, hidden]);
      const stan = await client({ authorization: await app.as('stan') });
      for (const id of [set, 'f'.repeat(24)]) {
        expect(await stan.open(id)).toMatchObject({ type: 'error', status: 404, code: 'NOT_FOUND' });
      }
      await app.grants.allow('stan', 'tower_1', `graphicssvc:fileset:${set}`, ['READ']);
      expect(await stan.open(set, 'bridge_2')).toMatchObject({ type: 'error', status: 404 });
      const { files } = (await stan.open(set)) as { files?: unknown[] };
      expect(files).toHaveLength(1);
      for (const id of [hidden.id, other.id, 'f'.repeat(24), 'no-id']) {
        expect((await stan.read(id)).last).toMatchObject({ type: 'error', status: 404, code: 'FILE_NOT_FOUND' });
      }
      expect((await stan.read(file.id)).last.type).toBe('end');
      await app.grants.revoke('stan', 'tower_1');
      expect((await stan.read(file.id)).last).toMatchObject({ type: 'error', status: 404 });
    });

    it('anything in response to invalid messages, or to a read before a set is open', async () => {
      const stream = await client();
      const read = { type: 'read', requestId: 1, fileId: 'x' };
      const others = [
        { ...read, type: 'delete' },
        { ...read, requestId: undefined },
        { ...read, offset: -1 },
        [],
        null,
      ];
      for (const text of ['no json', ...others.map((other) => JSON.stringify(other))]) stream.socket.send(text);
      for (const text of REFUSED_JSON) stream.socket.send(`{"type": "open", "requestId": 1, "fileSetId": ${text}}`);
      stream.socket.send(JSON.stringify(read));
      const codes = [...Array<string>(others.length + 1 + REFUSED_JSON.length).fill('BAD_REQUEST'), 'NO_FILE_SET_OPEN'];
      await eventually(() => expect(stream.messages).toMatchObject(codes.map((code) => ({ type: 'error', code }))));
    });

    it('beyond the end, under a request id in use, or more than 8 reads at once', async () => {
      const file = await loaded(4 * MiB);
      const stream = await streamOf(file);
      expect((await stream.read(file.id, { offset: 4 * MiB + 1 })).last).toMatchObject({ status: 416 });
      for (let count = 0; count < 2; count++) stream.send({ type: 'read', requestId: 77, fileId: file.id });
      expect(await stream.until(77, 'error')).toMatchObject({ code: 'REQUEST_ID_IN_USE' });
      const ids = Array.from({ length: 20 }, () => stream.send({ type: 'read', fileId: file.id }));
      const ends = await Promise.all(ids.map((id) => stream.until(id, 'end', 'error')));
      expect(ends.filter(({ type }) => type === 'end').length).toBeGreaterThanOrEqual(7);
      expect(ends).toContainEqual(expect.objectContaining({ code: 'TOO_MANY_READS', status: 429 }));
    });

    it('more of a cancelled read', async () => {
      const file = await loaded(8 * MiB);
      const stream = await streamOf(file);
      const requestId = stream.send({ type: 'read', fileId: file.id });
      await stream.until(requestId, 'header');
      stream.socket.send(JSON.stringify({ type: 'cancel', requestId }));
      expect(await stream.until(requestId, 'error')).toMatchObject({ code: 'CANCELLED' });
      expect((await stream.read(file.id, { length: 10 })).content).toHaveLength(10);
    });
  });

  describe('is opened', () => {
    it('with a token among the subprotocols, which is not echoed', async () => {
      const token = olga.authorization.replace('Bearer ', '');
      const protocols = ['dtplatform.v1', `bearer.${token}`];
      const stream = await client({ authorization: undefined, protocols, origin: 'https://viewer.example' });
      expect(stream.socket.protocol).toBe('dtplatform.v1');
      const own = await client({ authorization: undefined, protocols, origin: app.env.BASE_URL });
      expect(own.socket.protocol).toBe('dtplatform.v1');
    });

    it('only with a valid token', async () => {
      const expired = `Bearer ${await app.tokens.issue({ id: 'olga', expiresInSec: -1 })}`;
      for (const options of [
        {},
        { authorization: 'Bearer nonsense' },
        { authorization: expired },
        { protocols: ['dtplatform.v1'] },
        { protocols: ['dtplatform.v1', 'bearer.nonsense'] },
        { protocols: [`bearer.${olga.authorization.replace('Bearer ', '')}`] },
      ]) {
        const { status, body, headers } = await rejectionOf(app.url, options);
        expect({ status, body }).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED', error: 'invalid_token' } });
        expect(headers['www-authenticate']).toMatch(/^Bearer/);
        expect(headers['x-request-id']).toBe(body.requestId);
      }
    });

    it('only from pages of allowed origins', async () => {
      const { status, body } = await rejectionOf(app.url, { ...olga, origin: 'https://evil.example' });
      expect({ status, body }).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    });

    it('up to 16 times by one caller', async () => {
      const authorization = await app.as('many');
      const open = await Promise.all(Array.from({ length: 16 }, () => client({ authorization })));
      expect((await rejectionOf(app.url, { authorization })).status).toBe(429);
      open[0]!.close();
      await eventually(async () => client({ authorization }));
    });

    it('with a trailing slash in the path', async () => {
      const url = `${app.url.replace('http', 'ws')}/graphicssvc/api/v1/stream/`;
      const socket = new WebSocket(url, { headers: olga });
      await once(socket, 'open');
      socket.close();
    });

    it('only by upgrades', async () => {
      const res = await fetch(`${app.url}/graphicssvc/api/v1/stream`, { headers: olga });
      expect(res.status).toBe(404);
    });

    it.each([
      ['stream', 'upgrade: websocket', /^HTTP\/1.1 401 /],
      ['openapi.json', 'upgrade: h2c', /^HTTP\/1.1 200 [^]*^connection: close\r$/im],
    ])('or else the connection is closed, although the client keeps it (%s)', async (path, upgrade, expected) => {
      const connections = promisify(app.server.getConnections.bind(app.server));
      const before = await connections();
      const socket = connect({ port: Number(new URL(app.url).port), host: '127.0.0.1', allowHalfOpen: true });
      let response = '';
      socket.setEncoding('latin1').on('data', (chunk: string) => (response += chunk));
      socket.write(`GET /graphicssvc/api/v1/${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\n${upgrade}\r\n\r\n`);
      await once(socket, 'end');
      expect(response).toMatch(expected);
      await eventually(async () => expect(await connections()).toBeLessThanOrEqual(before));
      socket.destroy();
    });
  });
});
