import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { THEMES } from '../../src/pages/themes/themes.js';
import { groupClient } from '../group-client.js';
import { tokenIn } from '../invite-client.js';
import { newUser, openPages } from '../page-client.js';
import { actingFor } from '../tokens.js';
import { usePages } from './open-pages.js';

describe('the pages, with the keyboard and without scripts', () => {
  const { test, newWindow, tabTo, fill, press, audit, openSignIn, heading, text } = usePages();
  beforeEach(async () => {
    await newWindow();
  });

  async function signIn(user = test.app.admin) {
    await fill('username', user.userName);
    await fill('password', user.password);
    await press('Sign in');
  }
  async function choosePassword(password: string) {
    await fill('new_password', password);
    await fill('repeat_password', password);
    await press('Change the password');
  }

  it('sign a user in', async () => {
    await openSignIn();
    expect(await heading()).toBe('Sign in to Administration');
    await signIn({ ...test.app.admin, password: 'wrong' });
    expect(await test.page.title()).toBe('Error: Sign in to Administration');
    expect(await text()).toContain('The user name or the password is wrong.');
    await audit('sign-in-problem');
    await signIn();
    expect(test.page.url()).toContain(`${test.redirectUri}?code=`);
  });

  it.each([...THEMES.keys()])('look like the theme %s', async (_loginTheme) => {
    const apps = test.app.deps.mongo.db.collection<{ _id: string }>('apps');
    await apps.updateOne({ _id: test.app.trusted.id }, { $set: { _loginTheme } });
    await openSignIn();
    await audit(`theme-${_loginTheme}`);
    await apps.updateOne({ _id: test.app.trusted.id }, { $unset: { _loginTheme: '' } });
  });

  it('ask for a consent', async () => {
    const apps = test.app.deps.mongo.db.collection<{ _id: string }>('apps');
    await apps.updateOne(
      { _id: test.app.second.id },
      { $set: { _redirectUris: test.redirectUri, _name: 'Fassaden-Überwachungssysteme-Verwaltung' } },
    );
    await openSignIn({ client_id: test.app.second.id });
    await signIn();
    expect(await heading()).toContain('Fassaden-Überwachungssysteme-Verwaltung');
    await audit('consent');
    await press('decision', 'allow');
    expect(test.page.url()).toContain(`${test.redirectUri}?code=`);
  });

  it('sign a user out', async () => {
    await openSignIn();
    await signIn();
    await test.page.goto(`${test.app.url}/passportsvc/api/v1/logout`);
    await audit('sign-out');
    await press('Sign out');
    expect(await heading()).toBe('Signed out');
    await audit('message');
  });

  it('let a user choose a new password', async () => {
    const user = await newUser(test.app);
    await openSignIn();
    await press('Forgot your password?');
    await audit('password-reset');
    await fill('username', user.userName);
    await press('Send the link');
    expect(await heading()).toBe('Check your email');
    const link = await eventually(async () => {
      const mail = await test.app.deps.mongo.db.collection<{ text: string }>('mails').findOne({ to: user.userName });
      return /https?:\S+/.exec(mail!.text)![0];
    });
    await test.page.goto(link);
    await choosePassword('too short');
    await audit('new-password-problem');
    await choosePassword('the second password');
    expect(await heading()).toBe('Your password has been changed');
    await audit('password-changed');
    await test.page.goto(link);
    expect(await heading()).toBe('This link has already been used');
  });

  it('show a user’s account', async () => {
    const ada = await newUser(test.app, { displayName: 'Ada Example' });
    await openPages(test.app).signIn(ada);
    await test.page.goto(`${test.app.url}/passportsvc/api/v1/account`);
    await signIn(ada);
    expect(await heading()).toBe('Your account');
    await audit('account');
    await press('Sign out everywhere else');
    expect(await text()).toContain('All other browsers are signed out.');
    await fill('current_password', ada.password);
    await choosePassword('the second password');
    expect(await text()).toContain('Your password has been changed.');
    await audit('account-done');
  });

  it('let an invited user join a group', async () => {
    const [ada, bob] = [
      await newUser(test.app, { displayName: 'Ada Example', emails: [{ value: 'ada@example.org' }] }),
      await newUser(test.app, { displayName: 'Bob Example' }),
    ];
    const link = await inviteTo('Instandhaltung der Fassadenüberwachung', 'ada@example.org');
    await test.page.goto(link);
    expect(await text()).toContain('Sent to ada@example.org');
    await audit('invite');
    await press('Sign in');
    await signIn(bob);
    expect(await test.page.title()).toBe('Error: This invite is for someone else');
    await audit('invite-of-another');
    await press('Sign in as someone else');
    await signIn(ada);
    expect(await heading()).toBe('Join Instandhaltung der Fassadenüberwachung?');
    await audit('invite-answer');
    await tabTo('decision', 'decline');
    await press('decision', 'accept');
    expect(await heading()).toBe('You have joined Instandhaltung der Fassadenüberwachung');
    await audit('invite-accepted');
    await newWindow();
    await test.page.goto(link);
    expect(await test.page.title()).toBe('Error: This invite has been accepted');
    await audit('invite-closed');
  });

  it('tell an invited user why the form was rejected', async () => {
    const ada = await newUser(test.app, { displayName: 'Ada Example' });
    const link = await inviteTo('Planners', ada.userName);
    await test.page.goto(link);
    await press('Sign in');
    await signIn(ada);
    await test.page.$eval('[name=csrf_token]', (input) => input.setAttribute('value', 'of another page'));
    await press('decision', 'accept');
    expect(await test.page.title()).toBe('Error: Join a group');
    await audit('invite-problem');
    await press('decision', 'decline');
    expect(await heading()).toBe('You have declined');
  });

  /** @returns the link of the mail */
  async function inviteTo(_name: string, _email: string): Promise<string> {
    const { app } = test;
    const inviter = await newUser(app, { displayName: 'Olga Example' });
    const authorization = await actingFor(app, inviter.id);
    const { send, newGroup } = groupClient(() => app);
    const path = `/usergroups/${await newGroup(authorization, { _name })}/invites`;
    await send('post', path, authorization, [{ _email }]).expect(201);
    const mail = await app.deps.mongo.db.collection<{ text: string }>('mails').findOne({ to: _email });
    return `${app.url}/passportsvc/api/v1/invites/${tokenIn(mail!)}`;
  }
});
