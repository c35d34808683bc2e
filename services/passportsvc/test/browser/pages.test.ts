import { beforeEach, describe, expect, it } from '@jest/globals';
import { THEMES } from '../../src/api/pages/themes/themes.js';
import { usePages } from './open-pages.js';

describe('the pages, with the keyboard and without scripts', () => {
  const { test, newWindow, fill, press, audit, openSignIn, heading, text } = usePages();
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
});
