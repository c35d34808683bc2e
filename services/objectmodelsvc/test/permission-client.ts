import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { entryFor, PERMISSIONS, startApp } from './start-app.js';
import type { Entry, TestApp } from './start-app.js';

export type Stored = Entry & { _id: string; _status: number; _metadata: Record<string, unknown> };

export interface Written {
  _offset: number;
  _list: { _success: Stored[]; _failures: { _index: number; code: string; message: string }[] };
}

interface Question {
  action?: string;
  irn?: string;
  /** The instance of the service to call. */
  on?: Pick<TestApp, 'api'>;
}

/** Calls of the permissions API, each by the given caller. @param app started before the first call */
export const permissionClient = (app: () => TestApp) => ({
  put: async (authorization: string, entries: unknown): Promise<Written> => {
    const response = await app()
      .api.put(PERMISSIONS)
      .set({ authorization })
      .send(entries as object)
      .expect(200);
    return response.body as Written;
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
  /** Whether a user may do something, by default read `filesvc:file:1`. */
  may: async (
    authorization: string,
    userId: string,
    namespace: string,
    { action = 'READ', irn = 'filesvc:file:1', on = app() }: Question = {},
  ): Promise<boolean> => {
    const question = { _user: { _type: 'user', _id: userId }, _action: action, _irn: irn, _namespace: namespace };
    const response = await on.api.post(`${PERMISSIONS}/check`).set({ authorization }).send([question]).expect(200);
    return response.body._list[0]._allowed as boolean;
  },
});

interface Setting {
  app: TestApp;
  /** A trusted client. */
  platform: string;
  /** New for each test. */
  namespace: string;
  /** Holds all permissions in the namespace. */
  owner: string;
  ownerId: string;
  /** Holds none. */
  ben: string;
  benId: string;
}

/** For a test file: runs one application for all of its suites, with a new namespace per test. */
export function setUpNamespaces() {
  const here = {} as Setting;
  const client = permissionClient(() => here.app);

  beforeAll(async () => {
    here.app = await startApp();
    here.platform = await here.app.as('platform', 'trusted');
  });
  afterAll(() => here.app.stop());
  beforeEach(async () => {
    const unique = randomUUID().slice(0, 8);
    Object.assign(here, { namespace: `tower_${unique}`, ownerId: `olga-${unique}`, benId: `ben-${unique}` });
    [here.owner, here.ben] = [await here.app.as(here.ownerId), await here.app.as(here.benId)];
    await client.put(here.platform, [entryFor(here.ownerId, here.namespace, '*:*:*', '*')]);
  });

  return { ...client, here };
}
