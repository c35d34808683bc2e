import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { eventually, sendTwice } from '@dtplatform/testing';
import { groupClient } from './group-client.js';
import type { TestUser } from './group-client.js';
import { catchMails } from './mails.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp } from './tokens.js';

interface Shown {
  _id: string;
  _status: string;
}

describe('invites', () => {
  let app: TestApp;
  let mails: Awaited<ReturnType<typeof catchMails>>;
  let olga: TestUser;
  let ben: TestUser;
  let carla: TestUser;
  let groupId: string;
  const { send, newGroup, membersOf, newUser } = groupClient(() => app);

  beforeAll(async () => {
    mails = await catchMails();
    app = await startApp(mails.environment);
    await app.startWorker();
    [olga, carla] = [await newUser('Olga'), await newUser('Carla')];
  });
  afterAll(async () => {
    await app.stop();
    await mails.stop();
  });
  beforeEach(async () => {
    ben = await newUser('Ben');
    groupId = await newGroup(olga.authorization, { _name: 'Planners & Co' });
  });

  const post = (by: string, invites: unknown, id = groupId) => send('post', `/usergroups/${id}/invites`, by, invites);
  const invite = async (email: string, params: object = {}) =>
    (await post(olga.authorization, [{ _email: email, _params: params }]).expect(201)).body._list[0] as Shown;
  const change = (by: TestUser, id: string, _status: unknown) =>
    send('put', `/invites/${id}`, by.authorization, { _status });
  const listed = async (query: object = {}, by = olga) => {
    const reply = await send('get', `/usergroups/${groupId}/invites`, by.authorization).query(query).expect(200);
    return (reply.body._list as Shown[]).map(({ _id, _status }) => [_id, _status]);
  };
  const own = async (by: TestUser) => (await send('get', '/invites', by.authorization).expect(200)).body as Shown[];
  const tokenIn = ({ text }: { text: string }) => /\/passportsvc\/api\/v1\/invites\/([\w-]{43})/.exec(text)![1]!;
  const tokenOf = async (email: string, count = 1) => tokenIn(await textOf(email, count));
  const textOf = async (email: string, count = 1) => ({ text: (await mails.to(email, count)).text });
  const stored = () => app.mongo.db.collection<{ _id: string }>('invites');
  const setStored = (id: string, $set: object) => stored().updateOne({ _id: id }, { $set });

  it('are mailed, listed for both sides, and make whoever accepts a member', async () => {
    await app.grants.allow({ _type: 'usergroup', _id: groupId }, `of_${groupId}`, 'filesvc:file:*', ['READ']);
    const address = ben.email.replace('ben', 'BEN');
    const reply = await post(olga.authorization, [
      { _email: address, _params: { body_header: '<b>Hello</b>', new_param: 3 } },
    ]).expect(201);
    const [shown] = reply.body._list;
    expect(reply.body).toMatchObject({ _offset: 0, _pageSize: 1, _total: 1 });
    expect(shown).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      _email: address,
      _params: { body_header: '<b>Hello</b>', new_param: 3 },
      _status: 'PENDING',
      _expiresAt: expect.any(Number),
      _metadata: expect.objectContaining({ _createdById: olga.id }),
      _usergroup: { _id: groupId, _name: 'Planners & Co' },
    });
    const { text } = await textOf(address);
    expect(text).toContain('Planners & Co');
    expect(tokenIn({ text })).toHaveLength(43);
    expect(JSON.stringify(await stored().find().toArray())).not.toContain(tokenIn({ text }));

    expect(await own(ben)).toEqual([shown]);
    expect(await own(carla)).toEqual([]);
    expect(await listed()).toEqual([[shown._id, 'PENDING']]);
    const accepted = await change(ben, shown._id, 'ACCEPTED').expect(200);
    expect(accepted.body).toMatchObject({ _id: shown._id, _status: 'ACCEPTED' });
    expect(accepted.headers.etag).toBeDefined();
    expect(await membersOf(ben.authorization, groupId)).toContain(ben.id);
    expect(await app.grants.namespacesOf({ _type: 'user', _id: ben.id })).toContain(`of_${groupId}`);
    expect(await own(ben)).toMatchObject([{ _status: 'ACCEPTED' }]);
  });

  it('are accepted with the token of the link, once, by users of any organization', async () => {
    const { appId: id, appSecret: secret } = app.dev.second;
    const stranger = await newUser('Stranger', { id, secret });
    await invite(stranger.email);
    const token = await tokenOf(stranger.email);
    // Nobody has verified the addresses that another organization gives its users.
    expect(await own(stranger)).toEqual([]);
    const replies = await Promise.all([change(stranger, token, 'ACCEPTED'), change(carla, token, 'ACCEPTED')]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await membersOf(olga.authorization, groupId)).toHaveLength(2);
    await change(ben, token, 'ACCEPTED').expect(409);
    await change(ben, token, 'REJECTED').expect(409);
    expect(await membersOf(olga.authorization, groupId)).toHaveLength(2);
  });

  it('serve the page behind the link', async () => {
    const { _id } = await invite(ben.email);
    const token = await tokenOf(ben.email);
    const { invites } = app.deps;
    const user = { id: ben.id, name: 'Ben' };
    expect(await invites.findByToken(token)).toMatchObject({ _id, _usergroup: { _name: 'Planners & Co' } });
    for (const wrong of [_id, 'x', `${token.slice(0, -2)}xx`]) {
      expect(await invites.findByToken(wrong)).toBeUndefined();
      await expect(invites.accept(wrong, user)).rejects.toMatchObject({ status: 404 });
    }
    await invites.accept(token, user);
    await expect(invites.reject(token, user)).rejects.toMatchObject({ status: 409 });
    expect(await membersOf(olga.authorization, groupId)).toContain(ben.id);
  });

  it('answered again in the same way change nothing, and in another way are a 409', async () => {
    const { _id } = await invite(ben.email);
    const replies = await Promise.all(Array.from({ length: 4 }, () => change(ben, _id, 'ACCEPTED')));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await send('delete', `/usergroups/${groupId}/users`, ben.authorization, [ben.id]).expect(204);
    await change(ben, _id, 'ACCEPTED').expect(200);
    expect(await membersOf(olga.authorization, groupId)).not.toContain(ben.id);
    await change(ben, _id, 'REJECTED').expect(409);
    await change(olga, _id, 'CANCELLED').expect(409);
    expect(await listed()).toEqual([[_id, 'ACCEPTED']]);
  });

  it('have one answer when several arrive at once', async () => {
    const { _id } = await invite(ben.email);
    const answers = [change(ben, _id, 'ACCEPTED'), change(ben, _id, 'REJECTED'), change(olga, _id, 'CANCELLED')];
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409 || status === 404)).toHaveLength(2);
    const [[, status]] = (await listed()) as [[string, string]];
    expect((await membersOf(olga.authorization, groupId)).includes(ben.id)).toBe(status === 'ACCEPTED');
  });

  it('are rejected by whoever is invited, and cancelled by holders of EDIT', async () => {
    const first = await invite(ben.email);
    await change(olga, first._id, 'ACCEPTED').expect(403);
    await change(olga, first._id, 'REJECTED').expect(403);
    await change(ben, first._id, 'CANCELLED').expect(403);
    await change(carla, first._id, 'ACCEPTED').expect(404);
    await change(carla, first._id, 'CANCELLED').expect(404);
    await send('put', `/usergroups/${groupId}/users`, olga.authorization, [carla.id]).expect(200);
    await change(carla, first._id, 'CANCELLED').expect(403);
    await change(ben, first._id, 'REJECTED').expect(200);
    const second = await invite(ben.email);
    await change(olga, second._id, 'CANCELLED').expect(200);
    await change(ben, second._id, 'ACCEPTED').expect(409);
    expect(await membersOf(olga.authorization, groupId)).not.toContain(ben.id);
    expect(await listed({ _status: ['REJECTED', 'CANCELLED'] })).toHaveLength(2);
    expect(await listed({ _status: 'PENDING' })).toEqual([]);
  });

  it('expire', async () => {
    const { _id } = await invite(ben.email);
    const token = await tokenOf(ben.email);
    await setStored(_id, { _expiresAt: Date.now() - 1 });
    await change(ben, _id, 'ACCEPTED').expect(409);
    await change(carla, token, 'ACCEPTED').expect(409);
    await change(olga, _id, 'CANCELLED').expect(409);
    expect(await listed({ _status: 'EXPIRED' })).toEqual([[_id, 'EXPIRED']]);
    expect(await listed({ _status: 'PENDING' })).toEqual([]);
    expect(await own(ben)).toMatchObject([{ _id, _status: 'EXPIRED' }]);
    expect(await membersOf(olga.authorization, groupId)).toEqual([olga.id]);
    // The address can be invited again.
    await invite(ben.email);
  });

  it('are followed by one reminder, whose link works beside the first one', async () => {
    const { _id } = await invite(ben.email);
    const first = await tokenOf(ben.email);
    await setStored(_id, { _remindAt: Date.now() - 1 });
    const second = await tokenOf(ben.email, 2);
    expect(second).not.toBe(first);
    expect((await mails.to(ben.email, 2)).subject).toContain('Reminder');
    expect(await app.deps.invites.findByToken(first)).toMatchObject({ _id });
    await Promise.all([app.deps.invites.remind(), app.deps.invites.remind()]);
    await change(ben, second, 'ACCEPTED').expect(200);
    await change(carla, first, 'ACCEPTED').expect(409);
    expect(await mails.all(ben.email)).toHaveLength(2);
  });

  it('end with their group, without a reminder', async () => {
    const { _id } = await invite(ben.email);
    await setStored(_id, { _remindAt: Date.now() + 60_000 });
    await send('delete', `/usergroups/${groupId}`, olga.authorization).expect(204);
    await change(ben, _id, 'ACCEPTED').expect(404);
    expect(await own(ben)).toEqual([]);
    expect(await stored().findOne({ _id })).toMatchObject({ _status: 'CANCELLED' });
    await post(olga.authorization, [{ _email: ben.email }]).expect(404);
  });

  it('cannot lead the link elsewhere', async () => {
    const evil = 'http://evil.test/';
    await invite(ben.email, { invite_link: evil, base_url: evil, host: 'evil.test', body_content: '${invite_link}' });
    const { text } = await textOf(ben.email);
    expect(text).not.toContain('evil.test');
    expect(tokenIn({ text })).toHaveLength(43);
  });

  it('are created once per idempotency key, and not twice for an address', async () => {
    await sendTwice(() => post(olga.authorization, [{ _email: ben.email }]));
    const again = await post(olga.authorization, [{ _email: carla.email }, { _email: ben.email.toUpperCase() }]);
    expect(again.body).toMatchObject({ status: 400, code: 'ALREADY_INVITED', errors: [{ location: 'body.1._email' }] });
    expect(await listed()).toHaveLength(1);
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => post(olga.authorization, [{ _email: 'a@x.test' }])),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it('are for holders of EDIT to create, and hidden with their group', async () => {
    await post(ben.authorization, [{ _email: carla.email }]).expect(404);
    await send('get', `/usergroups/${groupId}/invites`, ben.authorization).expect(404);
    await send('put', `/usergroups/${groupId}/users`, olga.authorization, [ben.id]).expect(200);
    await post(ben.authorization, [{ _email: carla.email }]).expect(403);
    expect(await listed({}, ben)).toEqual([]);
    await send('get', '/invites', await asApp(app)).expect(403);
    await app.api.get('/passportsvc/api/v1/invites').expect(401);
    await change(ben, newId(), 'ACCEPTED').expect(404);
    await change(ben, 'x'.repeat(43), 'ACCEPTED').expect(404);
    await change(ben, 'x', 'ACCEPTED').expect(404);
  });

  it.each([
    [{ _email: 'a@x.test' }],
    [[{ _email: 'no address' }]],
    [[{ _email: 'a@x.test\r\nbcc: b@x.test' }]],
    [[{ _email: 'a@x.test,b@x.test' }]],
    [[{ _email: `${'a'.repeat(320)}@x.test` }]],
    [[{ _email: { $ne: 1 } }]],
    [[{}]],
    [[{ _email: 'a@x.test' }, { _email: 'A@X.test' }]],
    [[{ _email: 'a@x.test', _params: { 'a.b': 'x' } }]],
    [[{ _email: 'a@x.test', _params: { $set: 'x' } }]],
    [[{ _email: 'a@x.test', _params: { a: { b: 1 } } }]],
    [[{ _email: 'a@x.test', _params: { a: 'x'.repeat(2049) } }]],
    [[{ _email: 'a@x.test', _params: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`p${n}`, n])) }]],
    [Array.from({ length: 101 }, (_, n) => ({ _email: `a${n}@x.test` }))],
  ])('are refused: %#', async (body) => {
    const reply = await post(olga.authorization, body).expect(400);
    expect(reply.body.errors[0].location).toMatch(/^body/);
    expect(await listed()).toEqual([]);
  });

  it('refuse an unknown status, as a filter and as an answer', async () => {
    const { _id } = await invite(ben.email);
    for (const status of ['PENDING', 'EXPIRED', 'accepted', '', 1, null, { $ne: 1 }]) {
      await change(ben, _id, status).expect(400);
    }
    await send('get', `/usergroups/${groupId}/invites`, olga.authorization).query({ _status: 'x' }).expect(400);
    await change(ben, _id, 'ACCEPTED').set('if-match', '"99"').expect(412);
    expect(await listed({ _status: 'PENDING' })).toHaveLength(1);
  });

  it('are limited per address and day across groups, and per group', async () => {
    const email = `target-${newId()}@x.test`;
    const groups = await Promise.all(Array.from({ length: 12 }, () => newGroup(olga.authorization)));
    const replies = await Promise.all(groups.map((id) => post(olga.authorization, [{ _email: email }], id)));
    expect(replies.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(10);
    expect(replies.map(({ status }) => status).filter((status) => status === 429)).toHaveLength(2);

    const open = (n: number) => ({
      _id: newId(),
      _usergroupId: groupId,
      _status: 'PENDING',
      _expiresAt: Date.now() + 60_000,
      _emailKey: `${n}`,
    });
    await stored().insertMany(Array.from({ length: 499 }, (_, n) => open(n)));
    const last = await Promise.all(['b', 'c'].map((name) => post(olga.authorization, [{ _email: `${name}@x.test` }])));
    expect(last.map(({ status }) => status).sort()).toEqual([201, 400]);
  });

  it('are limited per sender and day', async () => {
    const sender = await newUser('Sender');
    const own = await newGroup(sender.authorization);
    const many = (call: number) => Array.from({ length: 100 }, (_, n) => ({ _email: `${call}-${n}@many.test` }));
    const day = Math.floor(Date.now() / (24 * 60 * 60 * 1000));
    const counts = app.mongo.db.collection<{ _id: string; count: number; removeAt: Date }>('invite_counts');
    await counts.insertOne({ _id: `from:${sender.id}:${day}`, count: 401, removeAt: new Date(Date.now() + 60_000) });
    await post(sender.authorization, many(0), own).expect(429);
    await post(sender.authorization, many(0).slice(1), own).expect(201);
    await post(sender.authorization, [{ _email: 'one-more@many.test' }], own).expect(429);
  });
});

describe('an invite while no mail server answers', () => {
  it('stands, and its mail is sent when one does', async () => {
    const app = await startApp();
    const { send, newGroup, newUser } = groupClient(() => app);
    const mails = await catchMails();
    try {
      const [olga, ben] = [await newUser('Olga'), await newUser('Ben')];
      const groupId = await newGroup(olga.authorization);
      const deaf = { ...mails.environment, SMTP_URL: 'smtp://127.0.0.1:9' };
      const { stop } = await app.startWorker(deaf);
      const path = `/usergroups/${groupId}/invites`;
      const { body } = await send('post', path, olga.authorization, [{ _email: ben.email }]).expect(201);
      await stop();
      await app.startWorker(mails.environment);
      expect((await mails.to(ben.email)).text).toContain('/invites/');
      const accept = { _status: 'ACCEPTED' };
      await send('put', `/invites/${body._list[0]._id}`, ben.authorization, accept).expect(200);
      await eventually(async () => {
        const reply = await send('get', `/usergroups/${groupId}`, ben.authorization).expect(200);
        expect(reply.body._isMember).toBe(true);
      });
    } finally {
      await app.stop();
      await mails.stop();
    }
  });
});
