import { FILES, NS } from './start-app.js';
import type { TestApp } from './start-app.js';

type Query = Record<string, unknown>;

/** The most common calls of one caller. */
export function requests({ api }: Pick<TestApp, 'api'>, authorization: string) {
  const call = (method: 'get' | 'post' | 'put' | 'delete', path: string, query: Query) =>
    api[method](`${FILES}${path}`)
      .set({ authorization })
      .query({ nsfilter: NS, ...query });
  return {
    folder: (name: string, query: Query = {}) => call('post', '', { _namespaces: NS, _name: name, ...query }),
    upload: (name: string, content: string | Buffer, fields: Record<string, string> = {}, contentType?: string) => {
      const request = call('post', '', {});
      for (const [field, value] of Object.entries({ _namespaces: NS, ...fields })) void request.field(field, value);
      return request.attach('file', Buffer.from(content), { filename: name, contentType });
    },
    get: (path: string, query: Query = {}) => call('get', path, query),
    put: (id: string, body: object, query: Query = {}) => call('put', `/${id}`, query).send(body),
    remove: (id: string, query: Query = {}) => call('delete', `/${id}`, query),
  };
}

/** Creates folders and files, and returns their ids. */
export const creator = (caller: ReturnType<typeof requests>) => ({
  folder: async (name: string, query: Query = {}) => (await caller.folder(name, query).expect(200)).body._id as string,
  file: async (name: string, fields: Record<string, string> = {}) =>
    (await caller.upload(name, name, fields).expect(201)).body[0]._id as string,
});

/** The names in a page, in order. */
export const namesIn = (response: { body: { _list: { _name: string }[] } }): string[] =>
  response.body._list.map(({ _name }) => _name);
