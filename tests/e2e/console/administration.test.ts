import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { putFailingMessage } from '../support/failing-message.js';
import { enter } from '../support/people.js';
import { dev, send } from '../support/platform.js';
import { openConsole } from './open-console.js';
import type { Console } from './open-console.js';

const PATIENTLY = { timeoutMs: 30_000 };

describe('the console for administrators', () => {
  let console: Console;
  beforeAll(async () => {
    console = await openConsole('/administration/users', dev.admin);
  });
  afterAll(() => console.close());

  it('ends the access of a user, and names what ends', async () => {
    const { email, token } = await enter();
    const statusOf = async () => (await send('GET', '/passportsvc/api/v1/workspaces', { token })).status;
    expect(await console.barriers()).toEqual([]);
    await console.fill('Search', email, 'searchbox');
    await console.shows('1 of 1 shown');
    await console.click(email, 'link');
    expect(await console.barriers()).toEqual([]);
    await console.click('Sign out everywhere');
    await console.shows('1 browser session, 1 sign-in to apps');
    await console.confirm('Sign out everywhere');
    await console.shows('The user is not signed in anywhere.');
    expect(await statusOf()).toBe(401);
    await console.click('Make an administrator');
    await console.fill(`Type “${email}” to confirm`, email);
    await console.confirm('Make an administrator');
    await console.click('Remove as administrator');
    expect(await console.barriers()).toEqual([]);
    await console.confirm('Remove as administrator');
    await console.shows('Make an administrator');
    await console.click('Deactivate');
    await console.fill(`Type “${email}” to confirm`, email);
    await console.confirm('Deactivate');
    await console.shows('Inactive');
  });

  it('registers an app, and replaces its secret', async () => {
    await console.click('Apps', 'link');
    await console.click('Register an app');
    const name = `Leaky app ${Date.now()}`;
    await console.fill('Name', name);
    await console.fill('Email address of the owner', dev.admin.email);
    await console.fill('Redirect URIs', 'https://app.example.com/callback');
    await console.choose('Organization', dev.orgId);
    await console.click('Create');
    await console.shows('Store the secret now');
    await console.confirm('Close');
    await console.fill('Search', name, 'searchbox');
    await console.click(name, 'link');
    await console.click('Replace the secret');
    expect(await console.barriers()).toEqual([]);
    await console.page.locator('[role=dialog] form [type=submit]').click();
    await console.shows('Store the secret now');
    await console.confirm('Close');
    await console.shows('Former secret valid until');
    await console.page.locator('section button ::-p-text(Edit)').click();
    await console.fill('Subject', 'Welcome to ${name}');
    await console.shows('Welcome to Example group');
    expect(await console.barriers()).toEqual([]);
    await console.page.locator('[role=dialog] form [type=submit]').click();
    await console.shows('Welcome to ${name}');
    expect(await console.barriers()).toEqual([]);
  });

  it('shows organizations, SCIM servers and signing keys', async () => {
    await console.click('Organizations', 'link');
    await console.shows('Create an organization');
    await console.click('SCIM servers', 'link');
    await console.shows('Deliveries');
    expect(await console.barriers()).toEqual([]);
    await console.click('Signing keys', 'link');
    await console.shows('ES256');
    expect(await console.barriers()).toEqual([]);
    expect(console.faults).toEqual([]);
  });

  it('sends a test mail', async () => {
    await console.click('Mails', 'link');
    await console.click('Send a test mail');
    const address = `test-${Date.now()}@example.com`;
    await console.fill('Recipient', address);
    await console.confirm('Send');
    await console.shows(address);
    expect(await console.barriers()).toEqual([]);
  });

  it('retries and discards failing messages', async () => {
    const id = await putFailingMessage('passportsvc.mail');
    /** Opens the page again, since the message fails anew after each attempt. */
    const select = () =>
      eventually(async () => {
        await console.click('Queues', 'link');
        await console.click('passportsvc.mail', 'link');
        await console.page.locator(`input[aria-label="Select ${id}"]`).setTimeout(2_000).click();
      }, PATIENTLY);
    await select();
    await console.shows('There is no message with the name removed.');
    expect(await console.barriers()).toEqual([]);
    await console.click('Retry');
    await select();
    await console.click('Discard');
    await console.shows('Messages to discard: 1');
    await console.confirm('Discard');
    await console.page.waitForFunction(`!document.body.innerText.includes("${id}")`);
    await console.click('Queues', 'link');
    await console.shows('passportsvc.mail');
    expect(await console.barriers()).toEqual([]);
  });

  it('shows the health of all services', async () => {
    await console.click('Health', 'link');
    await eventually(() => console.shows('processes are ready.'), PATIENTLY);
    await console.shows('filesvc-worker');
    await console.choose('Service', 'passportsvc');
    await console.shows('Requests per minute');
    await console.shows('95 % at most');
    expect(await console.barriers()).toEqual([]);
  });

  it('shows who changed what', async () => {
    await console.click('Audit log', 'link');
    await console.fill('Operation', 'apps.replaceSecret');
    await console.shows('apps.replaceSecret');
    await console.shows('Done');
    expect(await console.barriers()).toEqual([]);
  });
});
