import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { enter, trustedToken } from '../support/people.js';
import { must, uploadFile } from '../support/resources.js';
import { CONSOLE, createWorkspace, openConsole, signIn } from './open-console.js';
import type { Console } from './open-console.js';

describe('the console', () => {
  let console: Console;
  let workspace: { id: string; namespace: string };

  beforeAll(async () => {
    console = await openConsole('/?q=tower');
  });
  afterAll(() => console.close());

  it('returns to the page that was opened, keeps tokens out of storage, and loads at most 250 kB', async () => {
    await console.shows('Nothing matches.');
    expect(console.page.url()).toBe(`${CONSOLE}/?q=tower`);
    expect(await console.page.evaluate('Object.keys(localStorage)')).toEqual([]);
    expect(await console.page.evaluate('Object.keys(sessionStorage)')).toEqual(['console:return-to']);
    const sizes = "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/console/'))";
    const bytes = await console.page.evaluate(
      `${sizes}.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    );
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(250_000);
    await console.open('/');
    await console.shows('You have no workspace yet.');
    expect(await console.barriers()).toEqual([]);
  });

  it('creates a workspace, and shows what it holds', async () => {
    await console.click('Create a workspace');
    await console.fill('Name', 'Harbour Tower');
    expect(await console.barriers()).toEqual([]);
    await console.click('Create');
    await console.shows('Nothing is stored in this namespace yet.');
    const { body } = await must(200, 'GET', '/passportsvc/api/v1/workspaces', { token: console.user.token });
    workspace = { id: body._list[0]._id, namespace: body._list[0]._namespaces[0] };
    expect(console.page.url()).toBe(`${CONSOLE}/workspaces/${workspace.id}`);
    await uploadFile(console.user, workspace.namespace);
    await console.page.reload();
    await console.shows('Files');
    expect(await console.barriers()).toEqual([]);
  });

  it('shares a resource by mail, explains who may read it, and revokes that', async () => {
    await console.open(`/workspaces/${workspace.id}/access?resource=filesvc:file:*`);
    await console.click('Share');
    await console.fill('Email address', 'partner@example.com');
    await console.confirm('Invite');
    await console.shows('filesvc:file:*: partner@example.com');
    await console.shows('2 in total');
    await console.click('Share');
    await console.fill('Email address', 'partner@example.com');
    await console.confirm('Invite');
    await console.page.reload();
    await console.shows('2 in total');
    expect(await console.barriers()).toEqual([]);
    await console.click('Why?');
    await console.page.locator('input[list]').fill(`user:${console.user.id}`);
    await console.shows('has the right “Read”:');
    await console.click('Cancel');
    await console.page.locator('tbody button').click();
    await console.shows('unless another permission grants it');
  });

  it('invites to a group', async () => {
    await console.open(`/workspaces/${workspace.id}/groups`);
    await console.click('Create a group');
    await console.fill('Name', 'Planners');
    await console.click('Create');
    await console.click('Planners', 'link');
    await console.click('Invites', 'tab');
    await console.click('Invite');
    await console.fill('Email address', 'colleague@example.com');
    await console.page.keyboard.press('Enter');
    await console.shows('pending');
    expect(await console.barriers()).toEqual([]);
  });

  it('leads anywhere by keyboard, and shows the calls behind a page as code', async () => {
    await console.page.keyboard.down('Control');
    await console.page.keyboard.press('k');
    await console.page.keyboard.up('Control');
    await console.fill('Go to a page or workspace', 'harb');
    await console.shows('Harbour Tower');
    await console.page.keyboard.press('Enter');
    await console.page.waitForFunction(`location.pathname === '/console/workspaces/${workspace.id}'`);
    await console.page.waitForSelector('[role=dialog]', { hidden: true });
    await console.click('Show as code');
    await console.shows('curl --request GET');
    expect(await console.barriers()).toEqual([]);
    await console.click('dt (CLI)', 'tab');
    await console.shows(`dt api GET /passportsvc/api/v1/workspaces/${workspace.id}`);
  });

  it('speaks German, and keeps the language', async () => {
    await console.open(`/workspaces/${workspace.id}/access`);
    await console.choose('Language', 'de');
    await console.shows('Zugriff');
    await console.page.reload();
    await console.shows('Ressource');
    await console.choose('Sprache', 'en');
  });

  it('says what failed, and tries again', async () => {
    await console.open(`/workspaces/${'f'.repeat(24)}`);
    await console.shows('Request id: ');
    await console.open('/account');
    await console.shows('User id');
    expect(await console.barriers()).toEqual([]);
    await console.page.setOfflineMode(true);
    await console.click('dtplatform console', 'link');
    await console.shows('Try again');
    await console.page.setOfflineMode(false);
    await console.click('Try again');
    await console.shows('Harbour Tower');
  });

  it('starts anew after a sign-in that was not its own', async () => {
    await console.open('/?code=stolen&state=unknown');
    await console.shows('This sign-in was not started here.');
    await console.click('Sign in');
    await console.shows('Harbour Tower');
    expect(console.page.url()).toBe(`${CONSOLE}/`);
  });

  it('offers what is allowed, until it is revoked', async () => {
    const owner = await enter();
    const { id, namespace } = await createWorkspace(owner, 'Foreign Tower');
    await console.open(`/workspaces/${id}`);
    await console.shows('Try again');
    const permission = {
      _namespace: namespace,
      _user: { _type: 'user', _id: console.user.id },
      _resourceDesc: { _irn: `passportsvc:workspace:${id}` },
      _actions: ['READ', 'DELETE'],
    };
    const request = { token: owner.token, json: [permission] };
    const { body } = await must(200, 'PUT', '/objectmodelsvc/api/v1/permissions', request);
    await console.click('Try again');
    await console.shows('Delete');
    const offered = await console.page.$$eval('main button', (buttons) =>
      buttons.map(({ textContent }) => textContent),
    );
    expect(offered).not.toContain('Edit');
    const path = `/objectmodelsvc/api/v1/permissions/${body._list._success[0]._id as string}`;
    await must(204, 'DELETE', path, { token: owner.token });
    await console.page.reload();
    await console.shows('Request id: ');
  });

  it('signs the user out, leads back, and ends once the user is deactivated', async () => {
    await console.click('Sign out');
    await console.page.waitForSelector('form button');
    await Promise.all([console.page.waitForNavigation(), console.page.click('form button')]);
    await console.shows('signed out.');
    expect(await console.barriers()).toEqual([]);
    // Sign-outs lead back over HTTPS or to this machine; a cluster of the tests may have neither.
    if (console.page.url().startsWith(CONSOLE)) await console.click('Sign in');
    else {
      expect(CONSOLE).not.toMatch(/^https:|\/\/127\./);
      await console.open('/');
    }
    await signIn(console.page, console.user);
    await console.shows('Harbour Tower');
    expect(console.faults).toEqual([]);
    const user = `/passportsvc/api/v1/scim/Users/${console.user.id}`;
    const Operations = [{ op: 'replace', path: 'active', value: false }];
    const json = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations };
    await must(200, 'PATCH', user, { token: await trustedToken(), json });
    await console.click('Account', 'link');
    await console.page.waitForSelector('input[name=username]');
  });
});
