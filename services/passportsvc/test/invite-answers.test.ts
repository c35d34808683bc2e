import { describe, expect, it } from '@jest/globals';
import { setUpInvites } from './invite-client.js';
import { asApp } from './tokens.js';

describe('invites', () => {
  const { here, send, membersOf, newUser, post, invite, change, listed, own, tokenOf, stored, setStored } =
    setUpInvites();

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
    const replies = await Promise.all([change(stranger, token, 'ACCEPTED'), change(stranger, token, 'ACCEPTED')]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const members = await membersOf(here.olga.authorization, here.groupId);
    expect(members.sort()).toEqual([here.olga.id, stranger.id].sort());
    await change(stranger, token, 'REJECTED').expect(409);
    await change(here.ben, token, 'ACCEPTED').expect(403);
  });

  it('answered again in the same way change nothing, and in another way are a 409', async () => {
    const { _id } = await invite(here.ben.email);
    const replies = await Promise.all(Array.from({ length: 4 }, () => change(here.ben, _id, 'ACCEPTED')));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
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
