import { describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { sendTwice } from '@dtplatform/testing';
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

  it('create missing templates also under an idempotency key', async () => {
    await here.app.mongo.db.collection('notification_templates').deleteMany({});
    const { body } = await sendTwice(() => post(here.olga.authorization, [{ _email: 'first@x.test' }]));
    expect(await listed()).toEqual([[body._list[0]._id, 'PENDING']]);
  });

  it('are not replayed to a caller who may no longer read them', async () => {
    const repeat = () => post(here.olga.authorization, [{ _email: here.ben.email }]).set('idempotency-key', 'revoked');
    await repeat().expect(201);
    const group = await send('get', `/usergroups/${here.groupId}`, here.olga.authorization).expect(200);
    await here.app.grants.close(group.body._namespaces);
    const { status, text } = await repeat();
    expect([status, text.includes(here.ben.email)]).toEqual([409, false]);
  });

  it('are created once per idempotency key and once per address', async () => {
    await sendTwice(() => post(here.olga.authorization, [{ _email: here.ben.email }]));
    const again = await post(here.olga.authorization, [
      { _email: here.carla.email },
      { _email: here.ben.email.toUpperCase() },
    ]);
    expect(again.body).toMatchObject({ status: 400, code: 'ALREADY_INVITED', errors: [{ location: 'body.1._email' }] });
    expect(await listed()).toHaveLength(1);
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => post(here.olga.authorization, [{ _email: 'a@x.test' }])),
    );
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
    await post(here.ben.authorization, [{ _email: here.carla.email }]).expect(404);
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
    const responses = await Promise.all(groups.map((id) => post(here.olga.authorization, [{ _email: email }], id)));
    const statuses = responses.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 201), 429, 429]);

    const open = { _usergroupId: here.groupId, _status: 'PENDING', _expiresAt: Date.now() + 60_000 };
    await stored().insertMany(Array.from({ length: 499 }, (_, n) => ({ ...open, _id: newId(), _emailKey: `${n}` })));
    const last = ['b', 'c'].map((name) => post(here.olga.authorization, [{ _email: `${name}@x.test` }]));
    expect((await Promise.all(last)).map(({ status }) => status).sort()).toEqual([201, 400]);
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
    const { appId: id, appSecret: secret } = here.app.dev.second;
    const stranger = await newUser('Stranger', { id, secret });
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
    const answers = [
      change(here.ben, _id, 'ACCEPTED'),
      change(here.ben, _id, 'REJECTED'),
      change(here.olga, _id, 'CANCELLED'),
    ];
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409 || status === 404)).toHaveLength(2);
    const [[, status]] = (await listed()) as [[string, string]];
    expect((await membersOf(here.olga.authorization, here.groupId)).includes(here.ben.id)).toBe(status === 'ACCEPTED');
  });

  it('belong to the invitee, except cancelling, which requires EDIT', async () => {
    const first = await invite(here.ben.email);
    await change(here.olga, first._id, 'ACCEPTED').expect(403);
    await change(here.olga, first._id, 'REJECTED').expect(403);
    await change(here.ben, first._id, 'CANCELLED').expect(403);
    await change(here.carla, first._id, 'ACCEPTED').expect(404);
    await change(here.carla, first._id, 'CANCELLED').expect(404);
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
    await change(here.ben, _id, 'ACCEPTED').expect(409);
    await change(here.ben, token, 'ACCEPTED').expect(409);
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
    for (const status of ['PENDING', 'EXPIRED', 'accepted', { $ne: 1 }])
      await change(here.ben, _id, status).expect(400);
    await change(here.ben, _id, 'ACCEPTED').set('if-match', '"99"').expect(412);
    expect(await listed({ _status: 'PENDING' })).toHaveLength(1);
  });
});
