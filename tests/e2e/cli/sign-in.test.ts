import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { createAccount, openWorkspace, trustedToken } from '../support/people.js';
import { dev } from '../support/platform.js';
import { createMachine, startStranger } from './support.js';

describe('dt login', () => {
  let at: Awaited<ReturnType<typeof createMachine>>;
  const config = (...names: string[]) => path.join(at.folder, 'config', ...names);
  const session = () => config('sessions', 'default.json');

  beforeAll(async () => {
    at = await createMachine();
  });
  afterAll(() => at.stop());

  it('rejects missing or malformed values', async () => {
    const { code, stderr } = await at.dt('whoami');
    expect([code, stderr]).toEqual([2, expect.stringContaining('dt login --base-url URL --client-id ID')]);
    expect((await at.dt('login')).code).toBe(2);
    expect((await at.dt('login', '--no-such-option')).code).toBe(2);
    expect((await at.dt('login', '--client-id', 'app', '--base-url', 'twins.example.com')).code).toBe(2);
  });

  it('signs in through the browser and stores the session for the user alone', async () => {
    const { arrived, ended } = await at.login();
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining(at.account.email) });
    expect(await (arrived as Response).text()).toContain('You are signed in.');
    expect(await at.json('whoami')).toMatchObject({ id: at.account.id, platform: dev.baseUrl, profile: 'default' });
    for (const file of [session(), config('profiles.json')]) expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(config('sessions'))).mode & 0o777).toBe(0o700);
    expect(await readdir(config())).not.toContainEqual(expect.stringContaining('.new'));
  });

  it('accepts the redirect URL of a browser on another machine', async () => {
    const { ended } = await at.login(['--profile', 'other'], {
      arrive: async (back, { child }) => child.stdin!.write(`${back.href}\n`),
    });
    expect(ended.code).toBe(0);
    expect(await at.json('whoami', '--profile', 'other')).toMatchObject({ id: at.account.id, profile: 'other' });
  });

  it('shows the signed-in user, even with other credentials in the environment', async () => {
    const more = { DTPLATFORM_BASE_URL: dev.baseUrl, DTPLATFORM_TOKEN: 'of somebody else' };
    const { ended } = await at.login(['--json'], { more });
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ email: at.account.email, profile: 'default' });
  });

  it('sends tokens only to the platform that issued them', async () => {
    const stranger = await startStranger();
    const profiles = JSON.parse(await readFile(config('profiles.json'), 'utf8')) as Record<string, object>;
    const moved = { ...profiles, other: { ...profiles.other, baseUrl: stranger.url } };
    await writeFile(config('profiles.json'), JSON.stringify(moved));
    expect((await at.dt('whoami', '--profile', 'other')).code).toBe(3);
    await writeFile(config('profiles.json'), JSON.stringify(profiles));

    const { code, stderr } = await at.start(['whoami'], { DTPLATFORM_BASE_URL: stranger.url }).end;
    expect([code, stderr]).toEqual([2, expect.stringContaining(`the profile default is for ${dev.baseUrl}`)]);
    expect(stranger.seen).toEqual([]);
    await stranger.stop();
  });

  it('warns about unencrypted connections, except to this machine', async () => {
    const stranger = await startStranger();
    const warning = async (host: string) => {
      const more = { DTPLATFORM_BASE_URL: `http://${host}:${stranger.port}`, DTPLATFORM_TOKEN: 'any' };
      const { code, stderr } = await at.start(['whoami'], more).end;
      expect(code).toBe(3);
      return stderr.includes('is not encrypted');
    };
    expect(await warning('0.0.0.0')).toBe(true);
    expect(await warning('127.0.0.1')).toBe(false);
    expect(stranger.seen).toHaveLength(2);
    await stranger.stop();
    const away = `http://0.0.0.0:${stranger.port}`;
    const { stderr } = await at.dt('login', '--profile', 'new', '--client-id', 'app', '--base-url', away);
    expect(stderr).toContain(`${away} is not encrypted`);
  });

  it('reports at once that no platform answers', async () => {
    const stranger = await startStranger(404);
    const login = ['login', '--profile', 'new', '--client-id', 'app', '--base-url', stranger.url];
    const { code, stderr } = await at.dt(...login);
    expect([code, stderr]).toEqual([7, expect.stringContaining(`No dtplatform answers at ${stranger.url}`)]);
    expect(stranger.seen).toHaveLength(1);
    await stranger.stop();
  });

  it('renews the session once for concurrent commands', async () => {
    const kept = JSON.parse(await readFile(session(), 'utf8')) as { tokens: string };
    const tokens = JSON.stringify({ ...(JSON.parse(kept.tokens) as object), renewAt: 0 });
    await writeFile(session(), JSON.stringify({ ...kept, tokens }), { mode: 0o600 });
    const ended = await Promise.all([1, 2, 3].map(() => at.dt('whoami')));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect((await at.dt('whoami')).code).toBe(0);
  });

  it('reports that the port of the redirect URL is in use', async () => {
    const { port } = new URL(at.redirectUri);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', resolve));
    const { code, stderr } = await at.dt('login', '--no-browser');
    server.close();
    expect([code, stderr]).toEqual([2, expect.stringContaining(`The port of ${at.redirectUri} is in use`)]);
  });

  it('accepts only redirects to this machine', async () => {
    const { code, stderr } = await at.dt('login', '--redirect-uri', 'https://elsewhere.example/callback');
    expect([code, stderr]).toEqual([2, expect.stringContaining('must be http://127.0.0.1')]);
    expect((await at.dt('whoami', '--profile', '../default')).code).toBe(2);
  });

  it('says what it waits for, and stops on Ctrl-C', async () => {
    const { child, end, seen } = at.start(['login', '--no-browser']);
    const waiting = `Waiting until the browser is redirected to ${at.redirectUri}. Ctrl-C cancels.`;
    await eventually(() => expect(seen.stderr).toContain(waiting));
    child.kill('SIGINT');
    expect((await end).code).toBe(130);
  });

  it('is not needed with a token in the environment', async () => {
    const more = { DTPLATFORM_BASE_URL: dev.baseUrl, DTPLATFORM_TOKEN: await trustedToken() };
    expect((await at.start(['workspaces', '--json'], more).end).code).toBe(0);
    const forged = await at.start(['workspaces'], { ...more, DTPLATFORM_TOKEN: 'forged' }).end;
    expect([forged.code, forged.stderr]).toEqual([3, expect.stringContaining('dt login')]);
  });

  it('selects a workspace', async () => {
    const token = (JSON.parse(JSON.parse(await readFile(session(), 'utf8')).tokens) as { accessToken: string })
      .accessToken;
    const namespace = await openWorkspace({ ...at.account, token });
    expect(await at.json('workspaces')).toMatchObject([{ _namespaces: [namespace] }]);
    const wrong = await at.dt('workspaces', 'use', 'no such workspace');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('No workspace matches no such workspace')]);
    for (const args of [['use'], ['no-such-command'], ['--limit', '0']])
      expect((await at.dt('workspaces', ...args)).code).toBe(2);
    expect((await at.dt('files', 'ls')).code).toBe(2);
    expect((await at.dt('workspaces', 'use', 'E2E')).code).toBe(0);
    expect(await at.json('whoami')).toMatchObject({ namespace });
  });

  it('keeps the workspace of the same user, and drops that of another', async () => {
    const { namespace } = await at.json<{ namespace: string }>('whoami');
    await at.login();
    expect(await at.json('whoami')).toMatchObject({ namespace });
    const account = await createAccount();
    await at.login([], { account });
    expect(await at.json('whoami')).toEqual(expect.not.objectContaining({ namespace: expect.anything() }));
    expect(await at.json('whoami')).toMatchObject({ email: account.email });
  });

  it('is required again after dt logout', async () => {
    const out = await at.dt('logout');
    expect([out.code, out.stderr]).toEqual([0, expect.stringContaining(`open ${dev.baseUrl}/passportsvc`)]);
    const { code, stderr } = await at.dt('whoami');
    expect([code, stderr]).toEqual([3, expect.stringContaining('Sign in with: dt login')]);
    await expect(stat(session())).rejects.toThrow('ENOENT');
  });
});
