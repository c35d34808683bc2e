import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { THEMES } from '../../src/pages/themes/themes.js';
import { createBrowser } from '../browser.js';
import { tokenIn } from '../invite-client.js';
import { newUser, openPages } from '../page-client.js';
import { authorizeUrl, requestToken } from '../tokens.js';
import { usePages } from './open-pages.js';

describe('the pages, with the keyboard and without scripts', () => {
  const { test, newWindow, tabTo, fill, press, audit, openSignIn, heading, text } = usePages();
  beforeEach(async () => {
    await newWindow();
  });

  async function signIn() {
    await fill('username', test.app.admin.userName);
    await fill('password', test.app.admin.password);
    await press('Sign in');
  }

  it('sign a user in', async () => {
    await openSignIn();
    expect(await heading()).toBe('Sign in to Administration');
    await fill('username', test.app.admin.userName);
    await fill('password', 'wrong');
    await press('Sign in');
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
      { _id: test.app.dev.second.appId },
      { $set: { _redirectUris: test.redirectUri, _name: 'Fassaden-Überwachungssysteme-Verwaltung' } },
    );
    await openSignIn({ client_id: test.app.dev.second.appId });
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
    expect(await heading()).toBe('Look at your e-mail');
    const link = await eventually(async () => {
      const mail = await test.app.deps.mongo.db.collection<{ text: string }>('mails').findOne({ to: user.userName });
      return /https?:\S+/.exec(mail!.text)![0];
    });
    await test.page.goto(link);
    await fill('new_password', 'too short');
    await fill('repeat_password', 'too short');
    await press('Change the password');
    await audit('new-password-problem');
    await fill('new_password', 'the second password');
    await fill('repeat_password', 'the second password');
    await press('Change the password');
    expect(await heading()).toBe('Your password is changed');
    await audit('password-changed');
    await test.page.goto(link);
    expect(await heading()).toBe('This link has been used');
  });

  it('show a user’s account', async () => {
    const { userName, password } = await newUser(test.app, { displayName: 'Ada Example' });
    const other = openPages(test.app);
    await other.signIn({ userName, password });
    await test.page.goto(`${test.app.url}/passportsvc/api/v1/account`);
    await fill('username', userName);
    await fill('password', password);
    await press('Sign in');
    expect(await heading()).toBe('Your account');
    await audit('account');
    await press('Sign out everywhere else');
    expect(await text()).toContain('All other browsers are signed out.');
    await fill('current_password', password);
    await fill('new_password', 'the second password');
    await fill('repeat_password', 'the second password');
    await press('Change the password');
    expect(await text()).toContain('Your password is changed.');
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
    await fill('username', bob.userName);
    await fill('password', bob.password);
    await press('Sign in');
    expect(await test.page.title()).toBe('Error: This invite is for somebody else');
    await audit('invite-of-another');
    await press('Sign in as somebody else');
    await fill('username', ada.userName);
    await fill('password', ada.password);
    await press('Sign in');
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
    await fill('username', ada.userName);
    await fill('password', ada.password);
    await press('Sign in');
    await test.page.$eval('[name=csrf_token]', (input) => input.setAttribute('value', 'of another page'));
    await press('decision', 'accept');
    expect(await test.page.title()).toBe('Error: Join a group');
    await audit('invite-problem');
    await press('decision', 'decline');
    expect(await heading()).toBe('You have declined');
  });

  /** @returns the link of the mail */
  async function inviteTo(_name: string, _email: string): Promise<string> {
    const { app, redirectUri } = test;
    const inviter = await newUser(app, { displayName: 'Olga Example' });
    const back = await createBrowser().signIn(authorizeUrl(app, { redirect_uri: redirectUri }), inviter, redirectUri);
    const code = { code: back.searchParams.get('code')!, redirect_uri: redirectUri };
    const { body } = await requestToken(app, { grant_type: 'authorization_code', ...code }, app.trusted).expect(200);
    const authorization = `Bearer ${body.access_token as string}`;
    const api = '/passportsvc/api/v1/usergroups';
    const created = await app.api.post(api).set({ authorization }).send([{ _name }]).expect(201);
    const { _id } = (created.body as { _list: [{ _id: string }] })._list[0];
    await app.api.post(`${api}/${_id}/invites`).set({ authorization }).send([{ _email }]).expect(201);
    const mail = await app.deps.mongo.db.collection<{ text: string }>('mails').findOne({ to: _email });
    return `${app.url}/passportsvc/api/v1/invites/${tokenIn(mail!)}`;
  }
});
