import { describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { eventually, sendTwice } from '@dtplatform/testing';
import { setUpInvites, tokenIn } from './invite-client.js';
import { asApp } from './tokens.js';

const { here, send, newGroup, membersOf, newUser, ...invites } = setUpInvites();
const { post, invite, change, listed, own, textOf, tokenOf, stored, setStored } = invites;

describe('invites', () => {
  it('are mailed, listed for both sides, and add users who accept to the group', async () => {
    const ofGroup = { _type: 'usergroup' as const, _id: here.groupId };
    await here.app.grants.allow(ofGroup, `of_${here.groupId}`, 'filesvc:file:*', ['READ']);
    const address = here.ben.email.replace('ben', 'BEN');
    const _params = { body_header: '<b>Hello</b>', new_param: 3 };
    const { body } = await post(here.olga.authorization, [{ _email: ` ${address}\u3000`, _params }]).expect(201);
    const [shown] = body._list;
    expect(body).toMatchObject({ _offset: 0, _pageSize: 1, _total: 1 });
    expect(shown).toEqual({
      ...{ _id: expect.stringMatching(/^[0-9a-f]{24}$/), _email: address, _params, _status: 'PENDING' },
      _expiresAt: expect.any(Number),
      _metadata: expect.objectContaining({ _createdById: here.olga.id }),
      _usergroup: { _id: here.groupId, _name: 'Planners & Co' },
    });
    const { text } = await textOf(address);
    expect(text).toContain('Planners & Co');
    expect(JSON.stringify(await stored().find().toArray())).not.toContain(tokenIn({ text }));

    expect([await own(here.ben), await own(here.carla)]).toEqual([[shown], []]);
    expect(await listed()).toEqual([[shown._id, 'PENDING']]);
    const accepted = await change(here.ben, shown._id, 'ACCEPTED').expect(200);
    expect(accepted.body).toMatchObject({ _id: shown._id, _status: 'ACCEPTED' });
    expect(accepted.headers.etag).toBeDefined();
    expect(await membersOf(here.ben.authorization, here.groupId)).toContain(here.ben.id);
    expect(await here.app.grants.namespacesOf({ _type: 'user', _id: here.ben.id })).toContain(`of_${here.groupId}`);
    expect(await own(here.ben)).toMatchObject([{ _status: 'ACCEPTED' }]);
  });

  it('are not replayed to a caller who may no longer read them', async () => {
    const repeat = () => post(here.olga.authorization, [{ _email: here.ben.email }]).set('idempotency-key', 'revoked');
    await repeat().expect(201);
    const group = await send('get', `/usergroups/${here.groupId}`, here.olga.authorization).expect(200);
    await here.app.grants.close(group.body._namespaces);
    const { status, text } = await repeat();
    expect([status, text.includes(here.ben.email)]).toEqual([409, false]);
  });

  it('are created once per idempotency key, even if templates are missing, and once per address', async () => {
    await here.app.mongo.db.collection('notification_templates').deleteMany({});
    const { body } = await sendTwice(() => post(here.olga.authorization, [{ _email: here.ben.email }]));
    expect(await listed()).toEqual([[body._list[0]._id, 'PENDING']]);
    const wanted = [{ _email: here.carla.email }, { _email: here.ben.email.toUpperCase() }];
    const again = await post(here.olga.authorization, wanted);
    expect(again.body).toMatchObject({ status: 400, code: 'ALREADY_INVITED', errors: [{ location: 'body.1._email' }] });
    expect(await listed()).toHaveLength(1);
    const posts = Array.from({ length: 5 }, () => post(here.olga.authorization, [{ _email: 'a@x.test' }]));
    const responses = await Promise.all(posts);
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it('are accepted at once for members, without a mail', async () => {
    await send('put', `/usergroups/${here.groupId}/users`, here.olga.authorization, [here.carla.id]).expect(200);
    const emails = [here.carla.email.toUpperCase(), here.olga.email, here.ben.email];
    const wanted = emails.map((_email) => ({ _email }));
    const { _list } = (await post(here.olga.authorization, wanted).expect(201)).body;
    expect(_list).toMatchObject([{ _status: 'ACCEPTED' }, { _status: 'ACCEPTED' }, { _status: 'PENDING' }]);
    await change(here.carla, _list[0]._id, 'REJECTED').expect(409);
    await textOf(here.ben.email);
    for (const address of emails.slice(0, 2)) expect(await here.mails.all(address)).toEqual([]);
  });

  it('require EDIT, and are hidden with their group', async () => {
    await send('put', `/usergroups/${here.groupId}/users`, here.olga.authorization, [here.ben.id]).expect(200);
    await post(here.ben.authorization, [{ _email: here.carla.email }]).expect(403);
    expect(await listed({}, here.ben)).toEqual([]);
    for (const key of [newId(), 'x'.repeat(43)]) await change(here.ben, key, 'ACCEPTED').expect(404);
  });

  it.each<[unknown]>([
    [{ _email: 'a@x.test' }],
    ...['no address', 'a@x.test\r\nbcc: b@x.test', 'a@x.test,b@x.test', `${'a'.repeat(320)}@x.test`].map(
      (_email): [unknown] => [[{ _email }]],
    ),
    [[{ _email: 'a@x.test' }, { _email: 'A@X.test' }]],
    ...[{ 'a.b': 'x' }, { $set: 'x' }, { a: { b: 1 } }, { a: 'x'.repeat(2049) }].map((_params): [unknown] => [
      [{ _email: 'a@x.test', _params }],
    ]),
    [[{ _email: 'a@x.test', _params: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`p${n}`, n])) }]],
    [Array.from({ length: 101 }, (_, n) => ({ _email: `a${n}@x.test` }))],
  ])('are rejected when invalid: %#', async (body) => {
    const response = await post(here.olga.authorization, body).expect(400);
    expect(response.body.errors[0].location).toMatch(/^body/);
    expect(await listed()).toEqual([]);
  });

  it('are limited per address and day across groups, and per group', async () => {
    const email = `target-${newId()}@x.test`;
    const groups = await Promise.all(Array.from({ length: 12 }, () => newGroup(here.olga.authorization)));
    const invite = (id: string) => post(here.olga.authorization, [{ _email: email }], id);
    for (const id of groups.slice(0, 9)) await invite(id).expect(201);
    const last = await Promise.all(groups.slice(9).map(invite));
    expect(last.map(({ status }) => status).toSorted()).toEqual([201, 429, 429]);

    const open = { _usergroupId: here.groupId, _status: 'PENDING', _expiresAt: Date.now() + 60_000 };
    await stored().insertMany(Array.from({ length: 499 }, (_, n) => ({ ...open, _id: newId(), _emailKey: `${n}` })));
    const others = ['b', 'c'].map((name) => post(here.olga.authorization, [{ _email: `${name}@x.test` }]));
    expect((await Promise.all(others)).map(({ status }) => status).sort()).toEqual([201, 400]);
  });

  it('are limited per sender and day', async () => {
    const sender = await newUser('Sender');
    const own = await newGroup(sender.authorization);
    const many = (call: number) => Array.from({ length: 100 }, (_, n) => ({ _email: `${call}-${n}@many.test` }));
    const day = Math.floor(Date.now() / (24 * 60 * 60 * 1000));
    const counts = here.app.mongo.db.collection<{ _id: string; count: number; removeAt: Date }>('invite_counts');
    await counts.insertOne({ _id: `from:${sender.id}:${day}`, count: 401, removeAt: new Date(Date.now() + 60_000) });
    const rejected = await post(sender.authorization, many(0), own).expect(429);
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0);
    await post(sender.authorization, many(0).slice(1), own).expect(201);
    await post(sender.authorization, [{ _email: 'one-more@many.test' }], own).expect(429);
  });
});

describe('answers to invites', () => {
  it('require the address, or the link and the address for users of other organizations', async () => {
    const stranger = await newUser('Stranger', here.app.second);
    const { _id } = await invite(stranger.email);
    const token = await tokenOf(stranger.email);
    // Nobody verifies the addresses of another organization's users.
    expect(await own(stranger)).toEqual([]);
    await change(stranger, _id, 'ACCEPTED').expect(404);
    const rejected = await change(here.carla, token, 'ACCEPTED').expect(403);
    expect(rejected.body).toMatchObject({ code: 'INVITE_OF_ANOTHER' });
    await change(here.carla, token, 'REJECTED').expect(403);
    await change(stranger, token, 'CANCELLED').expect(403);
    await send('put', `/invites/${token}`, await asApp(here.app), { _status: 'ACCEPTED' }).expect(403);
    const responses = await Promise.all([change(stranger, token, 'ACCEPTED'), change(stranger, token, 'ACCEPTED')]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    const members = await membersOf(here.olga.authorization, here.groupId);
    expect(members.sort()).toEqual([here.olga.id, stranger.id].sort());
    await change(stranger, token, 'REJECTED').expect(409);
    await change(here.ben, token, 'ACCEPTED').expect(403);
  });

  it('have no effect when repeated, and are rejected with 409 when they differ', async () => {
    const { _id } = await invite(here.ben.email);
    const responses = await Promise.all(Array.from({ length: 4 }, () => change(here.ben, _id, 'ACCEPTED')));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await send('delete', `/usergroups/${here.groupId}/users`, here.ben.authorization, [here.ben.id]).expect(204);
    await change(here.ben, _id, 'ACCEPTED').expect(200);
    expect(await membersOf(here.olga.authorization, here.groupId)).not.toContain(here.ben.id);
    await change(here.ben, _id, 'REJECTED').expect(409);
    await change(here.olga, _id, 'CANCELLED').expect(409);
    expect(await listed()).toEqual([[_id, 'ACCEPTED']]);
  });

  it('succeed once under concurrent requests', async () => {
    const { _id } = await invite(here.ben.email);
    const answers = ['ACCEPTED', 'REJECTED', 'CANCELLED'].map((status) =>
      change(status === 'CANCELLED' ? here.olga : here.ben, _id, status),
    );
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.map((status) => (status === 404 ? 409 : status)).toSorted()).toEqual([200, 409, 409]);
    const [[, status]] = (await listed()) as [[string, string]];
    expect((await membersOf(here.olga.authorization, here.groupId)).includes(here.ben.id)).toBe(status === 'ACCEPTED');
  });

  it('belong to the invitee, except cancelling, which requires EDIT', async () => {
    const first = await invite(here.ben.email);
    for (const answer of ['ACCEPTED', 'REJECTED']) await change(here.olga, first._id, answer).expect(403);
    await change(here.ben, first._id, 'CANCELLED').expect(403);
    for (const answer of ['ACCEPTED', 'CANCELLED']) await change(here.carla, first._id, answer).expect(404);
    await send('put', `/usergroups/${here.groupId}/users`, here.olga.authorization, [here.carla.id]).expect(200);
    await change(here.carla, first._id, 'CANCELLED').expect(403);
    await change(here.ben, first._id, 'REJECTED').expect(200);
    const second = await invite(here.ben.email);
    await change(here.olga, second._id, 'CANCELLED').expect(200);
    await change(here.ben, second._id, 'ACCEPTED').expect(409);
    expect(await membersOf(here.olga.authorization, here.groupId)).not.toContain(here.ben.id);
    expect(await listed({ _status: ['REJECTED', 'CANCELLED'] })).toHaveLength(2);
    expect(await listed({ _status: 'PENDING' })).toEqual([]);
  });

  it('are rejected after the expiry, and the address can be invited again', async () => {
    const { _id } = await invite(here.ben.email);
    const token = await tokenOf(here.ben.email);
    await setStored(_id, { _expiresAt: Date.now() - 1 });
    for (const key of [_id, token]) await change(here.ben, key, 'ACCEPTED').expect(409);
    await change(here.olga, _id, 'CANCELLED').expect(409);
    expect(await listed({ _status: 'EXPIRED' })).toEqual([[_id, 'EXPIRED']]);
    expect(await listed({ _status: 'PENDING' })).toEqual([]);
    expect(await own(here.ben)).toMatchObject([{ _id, _status: 'EXPIRED' }]);
    expect(await membersOf(here.olga.authorization, here.groupId)).toEqual([here.olga.id]);
    await invite(here.ben.email);
  });

  it('are rejected once the group is deleted, which cancels invites and reminders', async () => {
    const { _id } = await invite(here.ben.email);
    await setStored(_id, { _remindAt: Date.now() + 60_000 });
    await send('delete', `/usergroups/${here.groupId}`, here.olga.authorization).expect(204);
    await change(here.ben, _id, 'ACCEPTED').expect(404);
    expect(await own(here.ben)).toEqual([]);
    expect(await stored().findOne({ _id })).toMatchObject({ _status: 'CANCELLED' });
    await post(here.olga.authorization, [{ _email: here.ben.email }]).expect(404);
  });

  it('are rejected with an unknown status or on another revision', async () => {
    const { _id } = await invite(here.ben.email);
    for (const status of ['PENDING', 'EXPIRED', { $ne: 1 }]) await change(here.ben, _id, status).expect(400);
    await change(here.ben, _id, 'ACCEPTED').set('if-match', '"99"').expect(412);
    expect(await listed({ _status: 'PENDING' })).toHaveLength(1);
  });
});

describe('mails of invites', () => {
  /** Sends due reminders. One failed reminder does not stop the others. */
  const remind = () => here.app.deps.invites.remind().catch(() => undefined);

  it('include one reminder, whose link works besides the first one', async () => {
    const { _id } = await invite(here.ben.email);
    const first = await tokenOf(here.ben.email);
    await setStored(_id, { _remindAt: Date.now() - 1 });
    await eventually(async () => expect(await here.mails.all(here.ben.email)).toHaveLength(2));
    const second = await tokenOf(here.ben.email, 2);
    expect(second).not.toBe(first);
    expect((await here.mails.to(here.ben.email, 2)).subject).toContain('Reminder');
    await Promise.all([here.app.deps.invites.remind(), here.app.deps.invites.remind()]);
    await change(here.ben, second, 'ACCEPTED').expect(200);
    await change(here.ben, first, 'REJECTED').expect(409);
    expect(await here.mails.all(here.ben.email)).toHaveLength(2);
  });

  it('include no reminder once the address belongs to a member', async () => {
    const { olga, ben, groupId } = here;
    const ann = await newUser('Ann');
    const [added, open] = [await invite(ann.email), await invite(ben.email)];
    await send('put', `/usergroups/${groupId}/users`, olga.authorization, [ann.id]).expect(200);
    await setStored(added._id, { _remindAt: Date.now() - 2 });
    await setStored(open._id, { _remindAt: Date.now() - 1 });
    await remind();
    await here.mails.to(ben.email, 2);
    expect(await here.mails.all(ann.email)).toHaveLength(1);
  });

  it("include reminders even if another invite's cannot be rendered", async () => {
    const { olga, ben, carla } = here;
    const [broken, intact] = [await invite(carla.email, { long: 'x'.repeat(2048) }), await invite(ben.email)];
    const path = '/notification_templates';
    const query = { _name: 'USER_GROUP_INVITE_REMINDER' };
    const template = (await send('get', path, olga.authorization).query(query).expect(200)).body._list[0];
    // Valid as a template; with the value it exceeds the maximum size.
    const change = { ...template, _message: '${long}'.repeat(200) };
    const platform = await asApp(here.app);
    await send('put', `${path}/${template._id}`, platform, change).expect(200);
    try {
      await setStored(broken._id, { _remindAt: Date.now() - 2 });
      await setStored(intact._id, { _remindAt: Date.now() - 1 });
      await remind();
      await here.mails.to(ben.email, 2);
      expect(await stored().findOne({ _id: broken._id })).not.toHaveProperty('_remindAt');
      expect(await here.mails.all(carla.email)).toHaveLength(1);
    } finally {
      await send('put', `${path}/${template._id}`, platform, template).expect(200);
    }
  });

  it("include reminders even if another invite's fails repeatedly", async () => {
    const { ben, carla } = here;
    const [broken, intact] = [await invite(carla.email), await invite(ben.email)];
    await setStored(broken._id, { '_metadata._createdAt': 'no time', _remindAt: Date.now() - 2 });
    await setStored(intact._id, { _remindAt: Date.now() - 1 });
    await remind();
    await here.mails.to(ben.email, 2);
    const { _remindAt } = (await stored().findOne({ _id: broken._id })) as unknown as { _remindAt: number };
    expect(_remindAt).toBeGreaterThan(Date.now());
    await stored().deleteOne({ _id: broken._id });
  });

  it('do not let parameters override the link', async () => {
    const evil = 'http://evil.test/';
    const hidden = { host: 'evil.test', body_content: '${invite_link}' };
    await invite(here.ben.email, { invite_link: evil, base_url: evil, ...hidden });
    const { text } = await textOf(here.ben.email);
    expect(text).not.toContain('evil.test');
    expect(tokenIn({ text })).toHaveLength(43);
  });
});
