import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp } from './start-app.js';

const PATH = '/filesvc/api/v1/permissions';
const ID = '0123456789abcdef01234567';

let asked: { method: string; url: string; authorization: string; ifMatch: string | undefined; body: unknown }[] = [];
let answer: { status: number; body?: object };
/** Records requests and sends `answer`. */
const objectmodelsvc = createServer((req, res) => {
  void text(req).then((body) => {
    const { authorization = '', 'if-match': ifMatch } = req.headers;
    asked.push({ method: req.method!, url: req.url!, authorization, ifMatch, body: body && JSON.parse(body) });
    res.writeHead(answer.status).end(answer.body && JSON.stringify(answer.body));
  });
}).listen(0, '127.0.0.1');
await once(objectmodelsvc, 'listening');
const { port } = objectmodelsvc.address() as AddressInfo;
const app = await startApp({ OBJECTMODELSVC_URL: `http://127.0.0.1:${port}` });
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  await app.stop();
  objectmodelsvc.closeAllConnections();
  objectmodelsvc.close();
});

const entry = (_irn: string) => ({
  _namespace: 'tower_1',
  _resourceDesc: { _irn },
  _user: { _type: 'user', _id: 'ben' },
  _actions: ['READ'],
});
const stored = (_irn: string) => {
  const _metadata = { _createdAt: 1, _updatedAt: 1, _createdById: 'olga', _updatedById: 'olga' };
  return { ...entry(_irn), _id: ID, _metadata };
};

describe('permissions through filesvc', () => {
  it('are granted as the caller; entries for other services fail', async () => {
    const failure = { ...entry('filesvc:file'), _index: 1, code: 'INVALID_ENTRY', message: 'no' };
    const success = { ...stored('filesvc:file:1'), _status: 201 };
    answer = { status: 200, body: { _offset: 0, _list: { _success: [success], _failures: [failure] } } };
    const sent = ['itemsvc:x:1', 'filesvc:file:1', '*:*:*', 'filesvcx:file:1'].map(entry);
    const put = app.api.put(PATH).set({ authorization: app.olga });
    const { _success, _failures } = (await put.send([...sent, { stray: 1 }]).expect(200)).body._list;
    const url = '/objectmodelsvc/api/v1/permissions';
    expect(asked).toMatchObject([{ method: 'PUT', url, authorization: app.olga, body: [sent[1], { stray: 1 }] }]);
    expect(_success).toEqual([success]);
    const foreign = [0, 2, 3].map((_index) => ({ _index, code: 'FOREIGN_RESOURCE' }));
    expect(_failures).toMatchObject([...foreign, { _index: 4, code: 'INVALID_ENTRY' }]);
  });

  it('are listed as the caller, for files only', async () => {
    const page = { _offset: 2, _pageSize: 3, _total: 9, _list: [stored('filesvc:file:1')] };
    answer = { status: 200, body: page };
    const query = {
      ...{ _namespace: 'tower_1', '_user._type': 'user', '_user._id': 'b&n', patternmatch: 'true' },
      ...{ '_resourceDesc._irn': 'filesvc:file:*', _offset: '2', _pageSize: '3' },
    };
    const list = (more: object) =>
      app.api
        .get(PATH)
        .set({ authorization: app.olga })
        .query({ ...query, ...more });
    expect((await list({}).expect(200)).body).toEqual(page);
    const { searchParams } = new URL(asked[0]!.url, 'http://x');
    expect([Object.fromEntries(searchParams), asked[0]!.authorization]).toEqual([query, app.olga]);
    for (const irn of ['itemsvc:nameduseritem:1', '*:*:*']) await list({ '_resourceDesc._irn': irn }).expect(400);
    expect(asked).toHaveLength(1);
  });

  it('are revoked as the caller, naming the service', async () => {
    answer = { status: 204 };
    const remove = app.api.delete(`${PATH}/${ID}`).set({ authorization: app.olga, 'if-match': '"3"' });
    await remove.expect(204);
    const url = `/objectmodelsvc/api/v1/permissions/${ID}?_service=filesvc`;
    expect(asked).toMatchObject([{ method: 'DELETE', url, authorization: app.olga, ifMatch: '"3"' }]);
  });

  it('pass on errors of objectmodelsvc', async () => {
    const errors = [{ location: 'body', message: 'must name fewer' }];
    const reject = (status: number, body: object) => {
      answer = { status, body };
      return app.api.delete(`${PATH}/${ID}`).set({ authorization: app.olga }).expect(status);
    };
    const body = { status: 403, code: 'LAST_OWNER', message: 'A namespace keeps one.', errors };
    expect((await reject(403, body)).body).toEqual({
      ...body,
      requestId: expect.any(String),
      documentation: expect.stringMatching(/^http.*\/docs\/guides\/errors#last_owner$/),
    });
    const changed = { status: 412, code: 'PRECONDITION_FAILED' };
    expect((await reject(412, { ...body, ...changed })).body).toMatchObject(changed);
    answer = { status: 500 };
    await app.api.delete(`${PATH}/${ID}`).set({ authorization: app.olga }).expect(503);
  });
});
