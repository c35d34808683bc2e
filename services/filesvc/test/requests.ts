import { FILES, NS } from './start-app.js';
import type { TestApp } from './start-app.js';

type Query = Record<string, unknown>;

/** The most common calls of one caller. */
export function requests({ api }: Pick<TestApp, 'api'>, authorization: string) {
  const at = (path: string) => `${FILES}${path}`;
  return {
    folder: (name: string, query: Query = {}) =>
      api
        .post(FILES)
        .set({ authorization })
        .query({ nsfilter: NS, _namespaces: NS, _name: name, ...query }),
    upload: (name: string, content: string | Buffer, fields: Record<string, string> = {}) => {
      const request = api.post(FILES).set({ authorization }).query({ nsfilter: NS });
      for (const [field, value] of Object.entries({ _namespaces: NS, ...fields })) void request.field(field, value);
      return request.attach('file', Buffer.from(content), { filename: name });
    },
    get: (path: string, query: Query = {}) =>
      api
        .get(at(path))
        .set({ authorization })
        .query({ nsfilter: NS, ...query }),
    put: (id: string, body: object, query: Query = {}) =>
      api
        .put(at(`/${id}`))
        .set({ authorization })
        .query({ nsfilter: NS, ...query })
        .send(body),
    remove: (id: string, query: Query = {}) =>
      api
        .delete(at(`/${id}`))
        .set({ authorization })
        .query({ nsfilter: NS, ...query }),
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
