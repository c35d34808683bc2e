import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { namesIn, requests } from './requests.js';
import { NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

describe('permissions on files', () => {
  let app: TestApp;
  let olga: ReturnType<typeof requests>;
  let folder: string;
  let below: string;
  let file: string;

  const as = async (name: string) => requests(app, await app.as(name));

  beforeAll(async () => {
    app = await startApp();
    olga = requests(app, app.olga);
    folder = (await olga.folder('shared').expect(200)).body._id;
    below = (await olga.folder('below', { _parents: folder }).expect(200)).body._id;
    file = (await olga.upload('deep.txt', 'deep', { _parents: below }).expect(201)).body[0]._id;
    await olga.upload('private.txt', 'private').expect(201);
  });
  afterAll(() => app.stop());

  it('applies a permission on a folder to everything below it', async () => {
    await app.grants.allow('fred', NS, `filesvc:file:${folder}`, ['READ', 'CREATE']);
    const fred = await as('fred');
    await fred.get(`/${file}`).expect(200);
    await fred.get(`/${file}/content`).expect(200);
    expect(namesIn(await fred.get(''))).toEqual(['shared', 'below', 'deep.txt']);
    expect((await fred.get('')).body._total).toBe(3);
    expect(namesIn(await fred.get(`/${below}/children`))).toEqual(['deep.txt']);
    await fred.put(file, { _name: 'x' }).expect(403);
    await fred.upload('deep.txt', 'a version', { _parents: below }).expect(403);
    await fred.upload('at root.txt', 'x').expect(403);
    const created = await fred.upload('by fred.txt', 'x', { _parents: below }).expect(201);
    // The creator has all permissions on it.
    await fred.upload('by fred.txt', 'y', { _parents: below }).expect(201);
    await fred.remove(created.body[0]._id).expect(204);
  });

  it('shows single files to callers with a permission on them', async () => {
    await app.grants.allow('sue', NS, `filesvc:file:${file}`, ['READ', 'EDIT']);
    const sue = await as('sue');
    expect(namesIn(await sue.get(''))).toEqual(['deep.txt']);
    await sue.get(`/${folder}`).expect(404);
    await sue.get(`/${below}/children`).expect(404);
    await sue.put(file, { _name: 'deep.txt' }).expect(200);
    await sue.remove(file).expect(403);
    await sue.folder('x', { _parents: folder }).expect(400);
  });

  it('applies a revocation at once', async () => {
    await app.grants.allow('rob', NS, 'filesvc:file:*', ['READ']);
    const rob = await as('rob');
    await rob.get(`/${file}`).expect(200);
    await app.grants.revoke('rob', NS);
    await rob.get(`/${file}`).expect(404);
    expect((await rob.get('')).body._total).toBe(0);
  });

  it('needs CREATE in each of several namespaces', async () => {
    await app.grants.allow('ned', NS, '*:*:*', ['*']);
    await app.grants.allow('ned', 'tower_5', 'filesvc:file:*', ['READ']);
    const ned = await as('ned');
    await ned.folder('both', { _namespaces: `${NS},tower_5` }).expect(403);
    await app.grants.allow('ned', 'tower_5', 'filesvc:file:*', ['CREATE']);
    await ned.folder('both', { _namespaces: `${NS},tower_5` }).expect(200);
  });

  it('requires a namespace of the file as context of every write', async () => {
    await app.grants.allow('olga', 'tower_7', '*:*:*', ['*']);
    await olga.put(file, { _name: 'x' }, { nsfilter: 'tower_7' }).expect(400);
    await olga.get(`/${file}`, { nsfilter: 'tower_7' }).expect(200);
  });

  it.each(['', 'a\0b', '\u007f', 'x'.repeat(129)])('refuses %j as a namespace', async (nsfilter) => {
    for (const path of ['', `/${file}`]) {
      const { body } = await olga.get(path, { nsfilter }).expect(400);
      expect(body.errors[0].location).toBe('query.nsfilter');
    }
    if (nsfilter !== '') await olga.folder('nowhere', { _namespaces: `${NS},${nsfilter}` }).expect(400);
  });

  it('lets a trusted client do everything', async () => {
    const trusted = requests(app, await app.as('platform', 'trusted'));
    await trusted.get(`/${file}`).expect(200);
    expect((await trusted.get('')).body._total).toBeGreaterThan(3);
    await trusted.get('', { _parents: 'root' }).expect(200);
  });
});

const PATH = '/filesvc/api/v1/permissions';
const ID = '0123456789abcdef01234567';

/** What objectmodelsvc is asked is recorded; it answers as the test says. */
describe('permissions on files', () => {
  let objectmodelsvc: Server;
  let app: TestApp;
  let asked: { method: string; url: string; authorization: string; ifMatch: string | undefined; body: unknown }[] = [];
  let answer: { status: number; body?: object };
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

  beforeAll(async () => {
    objectmodelsvc = createServer((req, res) => {
      let text = '';
      req.on('data', (chunk) => (text += String(chunk)));
      req.on('end', () => {
        const { authorization = '', 'if-match': ifMatch } = req.headers;
        asked.push({ method: req.method!, url: req.url!, authorization, ifMatch, body: text && JSON.parse(text) });
        res.writeHead(answer.status).end(answer.body && JSON.stringify(answer.body));
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => objectmodelsvc.once('listening', resolve));
    const { port } = objectmodelsvc.address() as AddressInfo;
    app = await startApp({ OBJECTMODELSVC_URL: `http://127.0.0.1:${port}` });
  });
  beforeEach(() => {
    asked = [];
  });
  afterAll(async () => {
    await app.stop();
    objectmodelsvc.closeAllConnections();
    objectmodelsvc.close();
  });

  it('are granted in the caller’s name; entries about other services are failures', async () => {
    const failure = { ...entry('filesvc:file'), _index: 1, code: 'INVALID_ENTRY', message: 'no' };
    const success = { ...stored('filesvc:file:1'), _status: 201 };
    answer = { status: 200, body: { _offset: 0, _list: { _success: [success], _failures: [failure] } } };
    const sent = ['itemsvc:x:1', 'filesvc:file:1', '*:*:*', 'filesvcx:file:1'].map(entry);
    const body = [...sent, { stray: 1 }];
    const reply = await app.api.put(PATH).set({ authorization: app.olga }).send(body).expect(200);
    expect(asked).toMatchObject([
      { method: 'PUT', url: '/objectmodelsvc/api/v1/permissions', authorization: app.olga },
    ]);
    expect(asked[0]!.body).toEqual([sent[1], { stray: 1 }]);
    expect(reply.body._list._success).toEqual([success]);
    expect(reply.body._list._failures).toMatchObject([
      { _index: 0, code: 'FOREIGN_RESOURCE', _resourceDesc: { _irn: 'itemsvc:x:1' } },
      { _index: 2, code: 'FOREIGN_RESOURCE' },
      { _index: 3, code: 'FOREIGN_RESOURCE' },
      { _index: 4, code: 'INVALID_ENTRY' },
    ]);
    await app.api.put(PATH).set({ authorization: app.olga }).send({}).expect(400);
    await app.api.put(PATH).send(body).expect(401);
  });

  it('are listed in the caller’s name, for files only', async () => {
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

  it('are revoked in the caller’s name, by a call that names the service', async () => {
    answer = { status: 204 };
    const remove = () => app.api.delete(`${PATH}/${ID}`).set({ authorization: app.olga, 'if-match': '"3"' });
    await remove().expect(204);
    const url = `/objectmodelsvc/api/v1/permissions/${ID}?_service=filesvc`;
    expect(asked).toMatchObject([{ method: 'DELETE', url, authorization: app.olga, ifMatch: '"3"' }]);
  });

  it('answer with the errors of objectmodelsvc', async () => {
    const errors = [{ location: 'body', message: 'must name fewer' }];
    const refuse = (status: number, body: object) => {
      answer = { status, body };
      return app.api.delete(`${PATH}/${ID}`).set({ authorization: app.olga }).expect(status);
    };
    const body = { status: 403, code: 'LAST_OWNER', message: 'A namespace keeps one.', errors };
    expect((await refuse(403, body)).body).toEqual({
      ...body,
      requestId: expect.any(String),
      documentation: expect.stringMatching(/^http.*\/docs\/guides\/errors#last_owner$/),
    });
    const changed = { status: 412, code: 'PRECONDITION_FAILED' };
    expect((await refuse(412, { ...body, ...changed })).body).toMatchObject(changed);
    answer = { status: 500 };
    await app.api.delete(`${PATH}/${ID}`).set({ authorization: app.olga }).expect(503);
  });
});
