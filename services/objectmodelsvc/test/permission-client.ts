import { PERMISSIONS } from './start-app.js';
import type { Entry, TestApp } from './start-app.js';

export type Stored = Entry & { _id: string; _status: number; _metadata: Record<string, unknown> };

export interface Written {
  _offset: number;
  _list: { _success: Stored[]; _failures: { _index: number; code: string; message: string }[] };
}

/** Calls of the permissions API, each by the caller that it names. @param app started before the first call */
export const permissionClient = (app: () => TestApp) => ({
  put: async (authorization: string, entries: unknown): Promise<Written> => {
    const reply = await app()
      .api.put(PERMISSIONS)
      .set({ authorization })
      .send(entries as object)
      .expect(200);
    return reply.body as Written;
  },
  /** By default the user's records for `filesvc:file:1`, by their exact name. */
  list: (authorization: string, userId: string, namespace: string, query: Record<string, string> = {}) =>
    app()
      .api.get(PERMISSIONS)
      .set({ authorization })
      .query({
        _namespace: namespace,
        '_resourceDesc._irn': 'filesvc:file:1',
        '_user._id': userId,
        '_user._type': 'user',
        patternmatch: 'false',
        ...query,
      }),
  remove: (authorization: string, id: string) => app().api.delete(`${PERMISSIONS}/${id}`).set({ authorization }),
});
