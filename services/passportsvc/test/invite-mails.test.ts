import { describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { groupClient } from './group-client.js';
import { setUpInvites, tokenIn } from './invite-client.js';
import { catchMails } from './mails.js';
import { startApp } from './start-app.js';
import { asApp } from './tokens.js';

describe('mails of invites', () => {
  const { here, send, newUser, invite, change, tokenOf, textOf, stored, setStored } = setUpInvites();
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
    await invite(here.ben.email, {
      invite_link: evil,
      base_url: evil,
      host: 'evil.test',
      body_content: '${invite_link}',
    });
    const { text } = await textOf(here.ben.email);
    expect(text).not.toContain('evil.test');
    expect(tokenIn({ text })).toHaveLength(43);
  });
});

describe('an invite during an outage of the mail server', () => {
  it('is mailed once the server is available, and can be accepted meanwhile', async () => {
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
        const response = await send('get', `/usergroups/${groupId}`, ben.authorization).expect(200);
        expect(response.body._isMember).toBe(true);
      });
    } finally {
      await app.stop();
      await mails.stop();
    }
  });
});
