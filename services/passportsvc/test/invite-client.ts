import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { groupClient } from './group-client.js';
import type { TestUser } from './group-client.js';
import { catchMails } from './mails.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

interface ShownInvite {
  _id: string;
  _status: string;
}

interface Setting {
  app: TestApp;
  mails: Awaited<ReturnType<typeof catchMails>>;
  /** Creates the group of each test. */
  olga: TestUser;
  /** New in each test, and not in its group. */
  ben: TestUser;
  /** Not in the group either. */
  carla: TestUser;
  groupId: string;
}

/** Runs the application with its worker and a mail server during a `describe`, with a new group for each test. */
export function setUpInvites() {
  const here = {} as Setting;
  const groups = groupClient(() => here.app);
  const { send, newGroup, newUser } = groups;

  beforeAll(async () => {
    here.mails = await catchMails();
    here.app = await startApp(here.mails.environment);
    await here.app.startWorker();
    [here.olga, here.carla] = [await newUser('Olga'), await newUser('Carla')];
  });
  afterAll(async () => {
    await here.app.stop();
    await here.mails.stop();
  });
  beforeEach(async () => {
    here.ben = await newUser('Ben');
    here.groupId = await newGroup(here.olga.authorization, { _name: 'Planners & Co' });
  });

  const post = (by: string, invites: unknown, id = here.groupId) =>
    send('post', `/usergroups/${id}/invites`, by, invites);
  const textOf = async (email: string, count = 1) => ({ text: (await here.mails.to(email, count)).text });
  const stored = () => here.app.mongo.db.collection<{ _id: string }>('invites');

  return {
    ...groups,
    here,
    post,
    textOf,
    stored,
    invite: async (email: string, params: object = {}) =>
      (await post(here.olga.authorization, [{ _email: email, _params: params }]).expect(201)).body
        ._list[0] as ShownInvite,
    change: (by: TestUser, id: string, _status: unknown) =>
      send('put', `/invites/${id}`, by.authorization, { _status }),
    /** Ids and statuses of the invites to the group. */
    listed: async (query: object = {}, by = here.olga) => {
      const path = `/usergroups/${here.groupId}/invites`;
      const response = await send('get', path, by.authorization).query(query).expect(200);
      return (response.body._list as ShownInvite[]).map(({ _id, _status }) => [_id, _status]);
    },
    /** The invites to a user. */
    own: async (by: TestUser) => (await send('get', '/invites', by.authorization).expect(200)).body as ShownInvite[],
    /** The token in the latest mail to an address, once there are `count` mails. */
    tokenOf: async (email: string, count = 1) => tokenIn(await textOf(email, count)),
    setStored: (id: string, $set: object) => stored().updateOne({ _id: id }, { $set }),
  };
}

export const tokenIn = ({ text }: { text: string }) => /\/passportsvc\/api\/v1\/invites\/([\w-]{43})/.exec(text)![1]!;
