import { describe, expect, it } from '@jest/globals';
import { createBrowser } from './browser.js';
import { runAdmin, spawnAdmin } from './programs.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import { asApp, asUser, authorizeUrl, codeFor, readSelf, refreshWith, startSignIn, tokensFor } from './tokens.js';

describe('the administration program', () => {
  const app = useApp();

  const admin = (args: string[], input?: string, more: Record<string, string | undefined> = {}) =>
    runAdmin({ ...app.env, ...more }, args, input);
  const read = (authorization: string) => readSelf(app, authorization);

  it('prints its usage, and rejects invalid arguments', async () => {
    const help = await admin(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const name of ['reset-password USER', 'rotate-keys', 'reencrypt', '--revoke', 'Exit code']) {
      expect(help.stdout).toContain(name);
    }
    expect(await admin([])).toMatchObject({ code: 2, stdout: help.stdout });
    expect(await admin(['rename'])).toMatchObject({ code: 2, stdout: '', stderr: 'admin: Unknown command rename.\n' });
    expect(await admin(['users', '--limit', '0'])).toMatchObject({ code: 2 });
    expect(await admin(['users', '--all'])).toMatchObject({ code: 2, stderr: "admin: Unknown option '--all'.\n" });
    expect(await admin(['reset-password'])).toMatchObject({ code: 2, stderr: 'admin: Usage: reset-password USER\n' });
  });

  it('reports missing settings and unavailable backends', async () => {
    const settings = await admin(['users'], '', { MONGO_URL: undefined });
    expect(settings).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('MONGO_URL: is required') });
    const down = await admin(['users'], '', { MONGO_URL: 'mongodb://127.0.0.1:9/?directConnection=true' });
    expect(down).toMatchObject({ code: 1, stderr: 'admin: MongoDB is not available.\n' });
    const empty = await admin(['users'], '', { MONGO_DB: `${app.env.MONGO_DB}_none` });
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('has not been migrated') });
  });

  it('lists users without secrets', async () => {
    const users = await admin(['users', '--admins', '--json']);
    expect(users.json()).toEqual({
      _list: [expect.objectContaining({ userName: app.admin.userName, _orgId: app.orgId, _admin: true })],
      hasMore: false,
    });
    expect(users.audit).toEqual([]);
    const userName = 'zoe@platform.test';
    await app.send('post', '/passportsvc/api/v1/scim/Users', await asApp(app), { userName }).expect(201);
    const one = await admin(['users', '--limit', '1']);
    expect(one.stdout).toMatch(/^id +userName .*\n.*\nThere are more than 1\.\n$/i);
  });

  it('escapes control characters in names', async () => {
    const name = 'evil\u001b]0;title\u0007\u009b2J\nname';
    const authorization = await asApp(app);
    await app.send('post', '/passportsvc/api/v1/scim/Users', authorization, { userName: name }).expect(201);
    const listed = await admin(['users', '--org', app.orgId]);
    expect(listed.stdout).toContain('evil\uFFFD]0;title\uFFFD\uFFFD2J\uFFFDname');
    const reset = await admin(['reset-password', name]);
    for (const { stdout } of [listed, reset]) expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it('resets a password and ends sessions, sign-ins and tokens', async () => {
    const [browser, early] = [createBrowser(), createBrowser()];
    const { access: authorization, refresh } = await tokensFor(app, app.admin, browser);
    await read(authorization).expect(200);
    const resume = await startSignIn(app, early);

    const reset = await admin(['reset-password', app.admin.userName.toUpperCase(), '--json']);
    const { _id, password } = reset.json() as { _id: string; password: string };
    const entry = { audit: true, command: 'reset-password', target: `user ${_id}`, outcome: 'done' };
    expect(reset).toMatchObject({ code: 0, audit: [entry], stderr: expect.not.stringContaining(password) });

    await read(authorization).expect(401);
    await refreshWith(app, refresh).expect(403);
    expect((await browser.open(authorizeUrl(app), REDIRECT_URI)).url.pathname).toContain('/signin/');
    await expect(codeFor(app)).rejects.toThrow();
    expect((await early.get(resume)).status).toBe(400);
    await read(await asUser(app, { ...app.admin, password }, app.trusted)).expect(200);
  });

  it('reads a password from standard input without printing it', async () => {
    const reset = await admin(['reset-password', app.admin.userName, '--stdin'], `${app.admin.password}\n`);
    expect(reset.code).toBe(0);
    expect(reset.stdout + reset.stderr).not.toContain(app.admin.password);
    await codeFor(app);
    expect(await admin(['reset-password', app.admin.userName, '--stdin'], 'nine char\n')).toMatchObject({ code: 2 });
    expect(await admin(['reset-password', app.admin.userName, '--stdin'], '')).toMatchObject({ code: 2 });
    await codeFor(app);
  });

  it('rejects unknown users, and records the failure', async () => {
    const user = await spawnAdmin(app.env, ['reset-password', 'nobody@platform.test']);
    expect(user).toMatchObject({ code: 3, stdout: '' });
    expect(user.stderr).toContain('admin: There is no user nobody@platform.test.\n');
    expect(user.audit).toEqual([
      expect.objectContaining({ audit: true, outcome: 'failed', reason: 'There is no user nobody@platform.test.' }),
    ]);
  });

  it('changes nothing when Redis is unavailable', async () => {
    const down = { REDIS_URL: 'redis://127.0.0.1:9' };
    const reset = await admin(['reset-password', app.admin.userName], '', down);
    const unavailable = { code: 1, stdout: '', stderr: expect.stringContaining('Redis is not available') };
    expect(reset).toMatchObject(unavailable);
    await codeFor(app);
  });
});
