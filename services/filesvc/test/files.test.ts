import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FILES, NS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

describe('files and folders', () => {
  let app: TestApp;
  let olga: string;

  const folder = (name: string, more: Record<string, unknown> = {}) =>
    app.api
      .post(FILES)
      .set({ authorization: olga })
      .query({ nsfilter: NS, _namespaces: NS, _name: name, ...more });
  const upload = (name: string, content: string | Buffer, fields: Record<string, string> = {}) => {
    const request = app.api.post(FILES).set({ authorization: olga }).query({ nsfilter: NS });
    for (const [field, value] of Object.entries({ _namespaces: NS, ...fields })) void request.field(field, value);
    return request.attach('file', Buffer.from(content), { filename: name });
  };
  const get = (path: string, query: Record<string, unknown> = {}) =>
    app.api
      .get(`${FILES}${path}`)
      .set({ authorization: olga })
      .query({ nsfilter: NS, ...query });

  beforeAll(async () => {
    app = await startApp();
    ({ olga } = app);
  });
  afterAll(() => app.stop());

  it('creates a folder and a file in it', async () => {
    const plans = await folder('plans').expect(200);
    expect(plans.body).toMatchObject({
      _name: 'plans',
      _type: 'dir',
      _parents: [],
      _irn: `filesvc:file:${plans.body._id}`,
    });
    const { body } = await upload('a.txt', 'hello', { _parents: plans.body._id, _tags: 'x,y' }).expect(201);
    expect(body).toMatchObject([{ _name: 'a.txt', _type: 'file', _status: 'UPLOAD_COMPLETED', _tags: ['x', 'y'] }]);
    const content = await get(`/${body[0]._id}/content`).expect(200);
    expect(content.text).toBe('hello');
    const list = await get('', { _parents: plans.body._id, withUrl: 'true' }).expect(200);
    expect(list.body).toMatchObject({ _total: 1, _list: [{ _id: body[0]._id }] });
    const direct = await fetch(list.body._list[0]._url);
    expect(await direct.text()).toBe('hello');
  });
});
