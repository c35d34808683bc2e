import { describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { sendTwice } from '@dtplatform/testing';
import { setUpInvites, tokenIn } from './invite-client.js';
import { asApp } from './tokens.js';

const { here, send, newGroup, membersOf, newUser, ...invites } = setUpInvites();
const { post, invite, change, listed, own, textOf, tokenOf, stored, setStored } = invites;

describe('invites', () => {
  it('are mailed, listed for both sides, and make whoever accepts a member', async () => {
    await here.app.grants.allow({ _type: 'usergroup', _id: here.groupId }, `of_${here.groupId}`, 'filesvc:file:*', [
      'READ',
    ]);
    const address = here.ben.email.replace('ben', 'BEN');
    const response = await post(here.olga.authorization, [
      { _email: ` ${address}\u3000`, _params: { body_header: '<b>Hello</b>', new_param: 3 } },
    ]).expect(201);
    const [shown] = response.body._list;
    expect(response.body).toMatchObject({ _offset: 0, _pageSize: 1, _total: 1 });
    expect(shown).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      _email: address,
      _params: { body_header: '<b>Hello</b>', new_param: 3 },
      _status: 'PENDING',
      _expiresAt: expect.any(Number),
      _metadata: expect.objectContaining({ _createdById: here.olga.id }),
      _usergroup: { _id: here.groupId, _name: 'Planners & Co' },
    });
    const { text } = await textOf(address);
    expect(text).toContain('Planners & Co');
    expect(tokenIn({ text })).toHaveLength(43);
    expect(JSON.stringify(await stored().find().toArray())).not.toContain(tokenIn({ text }));

    expect(await own(here.ben)).toEqual([shown]);
    expect(await own(here.carla)).toEqual([]);
    expect(await listed()).toEqual([[shown._id, 'PENDING']]);
    const accepted = await change(here.ben, shown._id, 'ACCEPTED').expect(200);
    expect(accepted.body).toMatchObject({ _id: shown._id, _status: 'ACCEPTED' });
    expect(accepted.headers.etag).toBeDefined();
    expect(await membersOf(here.ben.authorization, here.groupId)).toContain(here.ben.id);
    expect(await here.app.grants.namespacesOf({ _type: 'user', _id: here.ben.id })).toContain(`of_${here.groupId}`);
    expect(await own(here.ben)).toMatchObject([{ _status: 'ACCEPTED' }]);
  });

  it('are created with an idempotency key, too, by the first call that needs a template of an app', async () => {
    await here.app.mongo.db.collection('notification_templates').deleteMany({});
    const { body } = await sendTwice(() => post(here.olga.authorization, [{ _email: 'first@x.test' }]));
    expect(await listed()).toEqual([[body._list[0]._id, 'PENDING']]);
  });

  it('are shown again only to who may still read them', async () => {
    const repeat = () => post(here.olga.authorization, [{ _email: here.ben.email }]).set('idempotency-key', 'revoked');
    await repeat().expect(201);
    const group = await send('get', `/usergroups/${here.groupId}`, here.olga.authorization).expect(200);
    await here.app.grants.close(group.body._namespaces);
    const { status, text } = await repeat();
    expect([status, text.includes(here.ben.email)]).toEqual([409, false]);
  });

  it('are created once per idempotency key, and not twice for an address', async () => {
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

  it('send no mail to members, whose invites are accepted', async () => {
    await send('put', `/usergroups/${here.groupId}/users`, here.olga.authorization, [here.carla.id]).expect(200);
    const emails = [here.carla.email.toUpperCase(), here.olga.email, here.ben.email];
    const { body } = await post(
      here.olga.authorization,
      emails.map((_email) => ({ _email })),
    ).expect(201);
    expect(body._list).toMatchObject([{ _status: 'ACCEPTED' }, { _status: 'ACCEPTED' }, { _status: 'PENDING' }]);
    await change(here.carla, body._list[0]._id, 'REJECTED').expect(409);
    await textOf(here.ben.email);
    for (const address of emails.slice(0, 2)) expect(await here.mails.all(address)).toEqual([]);
  });

  it('are for holders of EDIT to create, and hidden with their group', async () => {
    await post(here.ben.authorization, [{ _email: here.carla.email }]).expect(404);
    await send('get', `/usergroups/${here.groupId}/invites`, here.ben.authorization).expect(404);
    await send('put', `/usergroups/${here.groupId}/users`, here.olga.authorization, [here.ben.id]).expect(200);
    await post(here.ben.authorization, [{ _email: here.carla.email }]).expect(403);
    expect(await listed({}, here.ben)).toEqual([]);
    await send('get', '/invites', await asApp(here.app)).expect(403);
    await here.app.api.get('/passportsvc/api/v1/invites').expect(401);
    await change(here.ben, newId(), 'ACCEPTED').expect(404);
    await change(here.ben, 'x'.repeat(43), 'ACCEPTED').expect(404);
    await change(here.ben, 'x', 'ACCEPTED').expect(404);
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
    const response = await post(here.olga.authorization, body).expect(400);
    expect(response.body.errors[0].location).toMatch(/^body/);
    expect(await listed()).toEqual([]);
  });

  it('are limited per address and day across groups, and per group', async () => {
    const email = `target-${newId()}@x.test`;
    const groups = await Promise.all(Array.from({ length: 12 }, () => newGroup(here.olga.authorization)));
    const responses = await Promise.all(groups.map((id) => post(here.olga.authorization, [{ _email: email }], id)));
    expect(responses.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(10);
    expect(responses.map(({ status }) => status).filter((status) => status === 429)).toHaveLength(2);

    const open = (n: number) => ({
      _id: newId(),
      _usergroupId: here.groupId,
      _status: 'PENDING',
      _expiresAt: Date.now() + 60_000,
      _emailKey: `${n}`,
    });
    await stored().insertMany(Array.from({ length: 499 }, (_, n) => open(n)));
    const last = await Promise.all(
      ['b', 'c'].map((name) => post(here.olga.authorization, [{ _email: `${name}@x.test` }])),
    );
    expect(last.map(({ status }) => status).sort()).toEqual([201, 400]);
  });

  it('are limited per sender and day', async () => {
    const sender = await newUser('Sender');
    const own = await newGroup(sender.authorization);
    const many = (call: number) => Array.from({ length: 100 }, (_, n) => ({ _email: `${call}-${n}@many.test` }));
    const day = Math.floor(Date.now() / (24 * 60 * 60 * 1000));
    const counts = here.app.mongo.db.collection<{ _id: string; count: number; removeAt: Date }>('invite_counts');
    await counts.insertOne({ _id: `from:${sender.id}:${day}`, count: 401, removeAt: new Date(Date.now() + 60_000) });
    const refused = await post(sender.authorization, many(0), own).expect(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await post(sender.authorization, many(0).slice(1), own).expect(201);
    await post(sender.authorization, [{ _email: 'one-more@many.test' }], own).expect(429);
  });
});

describe('answers to invites', () => {
  it('are accepted with the token of the link, once, by the user of any organization who has the address', async () => {
    const { appId: id, appSecret: secret } = here.app.dev.second;
    const stranger = await newUser('Stranger', { id, secret });
    const { _id } = await invite(stranger.email);
    const token = await tokenOf(stranger.email);
    // Nobody has verified the addresses that another organization gives its users.
    expect(await own(stranger)).toEqual([]);
    await change(stranger, _id, 'ACCEPTED').expect(404);
    const refused = await change(here.carla, token, 'ACCEPTED').expect(403);
    expect(refused.body).toMatchObject({ code: 'INVITE_OF_ANOTHER' });
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

  it('answered again in the same way change nothing, and in another way are a 409', async () => {
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

  it('have one answer when several arrive at once', async () => {
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

  it('are rejected by whoever is invited, and cancelled by holders of EDIT', async () => {
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

  it('expire', async () => {
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
    // The address can be invited again.
    await invite(here.ben.email);
  });

  it('end with their group, without a reminder', async () => {
    const { _id } = await invite(here.ben.email);
    await setStored(_id, { _remindAt: Date.now() + 60_000 });
    await send('delete', `/usergroups/${here.groupId}`, here.olga.authorization).expect(204);
    await change(here.ben, _id, 'ACCEPTED').expect(404);
    expect(await own(here.ben)).toEqual([]);
    expect(await stored().findOne({ _id })).toMatchObject({ _status: 'CANCELLED' });
    await post(here.olga.authorization, [{ _email: here.ben.email }]).expect(404);
  });

  it('refuse an unknown status, as a filter and as an answer', async () => {
    const { _id } = await invite(here.ben.email);
    for (const status of ['PENDING', 'EXPIRED', 'accepted', '', 1, null, { $ne: 1 }]) {
      await change(here.ben, _id, status).expect(400);
    }
    await send('get', `/usergroups/${here.groupId}/invites`, here.olga.authorization)
      .query({ _status: 'x' })
      .expect(400);
    await change(here.ben, _id, 'ACCEPTED').set('if-match', '"99"').expect(412);
    expect(await listed({ _status: 'PENDING' })).toHaveLength(1);
  });
});
