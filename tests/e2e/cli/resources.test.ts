import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { putFailingMessage } from '../support/failing-message.js';
import { createAccount, enter, trustedToken } from '../support/people.js';
import { dev } from '../support/platform.js';
import { createOrchestrator } from '../support/resources.js';
import { createMachine } from './support.js';

interface Named {
  _id: string;
  _name: string;
}

const unique = () => randomBytes(4).toString('hex');

describe('dt', () => {
  let at: Awaited<ReturnType<typeof createMachine>>;
  let env: NodeJS.ProcessEnv;
  let token: string;
  let namespace: string;

  /** Runs a command that must succeed, as the owner of the workspace, and returns what it prints. */
  async function run(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await at.start(args, env).end;
    if (code !== 0) throw new Error(`dt ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  }
  const json = async <T>(...args: string[]) => JSON.parse(await run(...args, '--output', 'json')) as T;

  beforeAll(async () => {
    at = await createMachine();
    ({ token } = await enter());
    env = { DTPLATFORM_BASE_URL: dev.baseUrl, DTPLATFORM_TOKEN: token };
    const made = await json<{ _namespaces: string[] }>('workspaces', 'create', 'Tower', '--short-name', unique());
    [namespace = ''] = made._namespaces;
    env.DTPLATFORM_NAMESPACE = namespace;
  });
  afterAll(() => at.stop());

  it('makes folders, and moves, renames and deletes what is in them', async () => {
    const folder = await json<Named>('files', 'mkdir', 'Plans');
    await writeFile(path.join(at.folder, 'plan, old.txt'), 'plan');
    const [file] = await json<Named[]>('files', 'upload', 'plan, old.txt');
    await run('files', 'mv', file!._id, '--folder', folder._id, '--name', 'plan, new.txt');
    const inside = ['files', 'ls', '--folder', folder._id];
    expect(await json(...inside)).toMatchObject([{ _id: file!._id, _name: 'plan, new.txt', _parents: [folder._id] }]);
    expect(await run(...inside, '--query', '[]._name')).toBe('plan, new.txt\n');
    expect(await run(...inside, '--query', '[].{name: _name}', '--output', 'yaml')).toBe('- name: plan, new.txt\n');
    expect(await run(...inside, '--output', 'csv')).toMatch(/^NAME,SIZE,STATUS,CHANGED,ID\r\n"plan, new.txt",4 B,/);
    expect((await at.start([...inside, '--query', '[['], env).end).code).toBe(2);
    expect((await at.start(['files', 'mv', file!._id], env).end).code).toBe(2);
    await run('files', 'rm', folder._id);
    expect(await json('files', 'ls')).toEqual([]);
  });

  it('repeats a list until Ctrl-C', async () => {
    const watching = at.start(['files', 'ls', '--watch=1', '--json'], env);
    await eventually(() => expect(watching.seen.stdout).toContain('[]\n[]\n'));
    watching.child.kill('SIGINT');
    expect((await watching.end).code).toBe(130);
    expect((await at.start(['files', 'ls', '--watch=0'], env).end).code).toBe(2);
  });

  it('creates, shows, changes and deletes items', async () => {
    const item = { _name: 'Door', _shortName: unique(), _userType: 'door', _itemClass: 'NamedUserCollection' };
    await writeFile(path.join(at.folder, 'item.json'), JSON.stringify(item));
    const [made] = await json<Named[]>('items', 'create', '@item.json');
    await run('items', 'update', made!._id, '{"_name": "Gate"}');
    expect(await run('items', 'get', made!._id, '--query', '_name')).toBe('Gate\n');
    const piped = at.start(['items', 'create', '-', '--json'], env, { stdin: 'pipe' });
    piped.child.stdin!.end(JSON.stringify([{ ...item, _shortName: unique() }]));
    const [other] = JSON.parse((await piped.end).stdout) as Named[];
    expect(await run('items', 'query', '{"_userType": "door"}')).toMatch(/^NAME +SHORT NAME +TYPE +CLASS +ID\n/);
    expect((await at.start(['items', 'update', made!._id, '{"_itemClass": "Script"}'], env).end).code).toBe(2);
    await run('items', 'rm', made!._id, other!._id);
    expect(await json('items', 'query')).toEqual([]);
    expect((await at.start(['items', 'create', '@missing.json'], env).end).code).toBe(2);
  });

  it('explains permissions, also those of a group, and revokes them', async () => {
    const { id } = await createAccount();
    await run('permissions', 'grant', 'filesvc:file:*', 'READ', '--user', id);
    const explained = await run('permissions', 'explain', 'filesvc:file:abc', '--user', id);
    expect(explained).toMatch(new RegExp(`READ +yes +user ${id} filesvc:file:\\* [0-9a-f]{24}\n`));
    expect(explained).toMatch(/EDIT +no/);
    expect(await run('permissions', 'explain', 'filesvc:file:abc')).toMatch(/SHARE +yes +user \w+ \*:\*:\*/);
    const group = await json<Named>('groups', 'create', 'Readers');
    await run('permissions', 'grant', 'filesvc:file:abc', 'READ', '--group', group._id);
    expect(await run('permissions', 'explain', 'filesvc:file:abc')).toContain(
      `usergroup ${group._id} filesvc:file:abc`,
    );
    expect(await run('permissions', 'holders', 'filesvc:file:abc')).toMatch(
      new RegExp(`user ${id} +READ +filesvc:file:\\*`),
    );
    await run('permissions', 'revoke', 'filesvc:file:*', '--user', id);
    const read = ['permissions', 'explain', 'filesvc:file:abc', '--user', id, '--query', '[0].isAllowed'];
    expect(await run(...read)).toBe('false\n');
    const again = at.start(['permissions', 'revoke', 'filesvc:file:*', '--user', id], env);
    expect((await again.end).code).toBe(2);
  });

  it('shows orchestrators', async () => {
    const step = { _orchcomp: 'wait', _sequenceno: 1, _name: 'wait', _actualparams: { ms: 1 } };
    const id = await createOrchestrator({ token } as Parameters<typeof createOrchestrator>[0], namespace, [step]);
    expect(await run('orchestrators', 'ls', '--query', '[].id')).toBe(`${id}\n`);
    expect(await json('orchestrators', 'get', id)).toMatchObject({ id, orchsteps: [{ _name: 'wait' }] });
  });

  it('lists the next times of a schedule', async () => {
    const weekly = await run('orchestrators', 'times', '--cron', '30 6 * * MON', '--count', '2', '--output', 'csv');
    expect(weekly).toMatch(/^TIME(\r\n\d{4}-\d\d-\d\d \d\d:\d\dZ){2}\r\n$/);
  });

  it('evaluates a script on a sample message', async () => {
    const script = path.join(at.folder, 'normalize.js');
    await writeFile(
      script,
      'function normalize({ device }) { return { _ts: 0, _tsMetadata: { _sourceId: device } }; }',
    );
    const { _readings } = await json<{ _readings: object[] }>('scripts', 'evaluate', script, '{"device": "d1"}');
    expect(_readings).toEqual([{ _ts: '1970-01-01T00:00:00.000Z', _tsMetadata: { _sourceId: 'd1' } }]);
    expect((await at.start(['scripts', 'evaluate', script, '{}'], env).end).code).toBe(1);
  });

  it('lists and draws metrics', async () => {
    const listed = await run('metrics', 'ls');
    expect(listed).toMatch(/^NAME +VALUE\n(.*\n)*dtplatform\.passportsvc\.WorkspaceCount +1\n/);
    const get = ['metrics', 'get', 'dtplatform.filesvc.FileCount', '--granularity', 'day'];
    expect(await run(...get, '--output', 'csv')).toMatch(/^TIME,VALUE\r\n\d{4}-/);
    expect(await run(...get, '--from', '2026-01-01', '--to', '2026-01-03', '--plot')).toMatch(/[┤┼].*\n2026-01-0/);
    expect((await at.start(['metrics', 'get', 'unknown'], env).end).code).toBe(5);
  });

  it('sends any request', async () => {
    const files = ['api', 'GET', '/filesvc/api/v1/files', '--query-param', `nsfilter=${namespace}`];
    expect(JSON.parse(await run(...files))).toMatchObject({ _list: [] });
    expect(await run(...files, '--query', '_total')).toMatch(/^\d+\n$/);
    const create = ['api', 'POST', '/passportsvc/api/v1/workspaces', '--data', `[{"_name": "${unique()}"}]`];
    expect(JSON.parse(await run(...create))).toMatchObject({ _list: [{ _id: expect.any(String) }] });
    expect((await at.start(['api', 'GET', 'https://elsewhere.example/'], env).end).code).toBe(1);
  });

  describe('for administrators', () => {
    beforeAll(async () => {
      env = { ...env, DTPLATFORM_TOKEN: await trustedToken() };
    });

    it('creates, lists and deactivates users, and groups them', async () => {
      const email = `cli-${unique()}@example.com`;
      const { id } = await json<{ id: string }>('users', 'create', email, '--given-name', 'Jo');
      const found = () => run('users', 'ls', '--filter', `userName eq "${email}"`);
      expect(await found()).toMatch(new RegExp(`^NAME +USER NAME +STATUS +ID\nJo +${email} +active +${id}\n$`));
      expect(await json('users', 'sessions', id)).toEqual([]);
      const changed = await run('audit', '--resource', id, '--from', '2026-01-01');
      expect(changed).toMatch(
        /^TIME +BY +OPERATION +STATUS +ADDRESS +RESOURCES\n.+ users\.create +201 +[\da-f]{24}\n$/,
      );
      await run('users', 'sign-out', id);
      await run('users', 'add-admin', id);
      expect(await run('users', 'admins')).toContain(id);
      await run('users', 'remove-admin', id);
      expect(await run('users', 'admins')).not.toContain(id);
      await run('users', 'deactivate', id);
      expect(await found()).toContain('inactive');
      expect(await run('users', 'get', id)).toMatch(/status +inactive/);
    });

    it('sends a test mail, and shows its status', async () => {
      await run('mails', 'test', 'ann@example.com');
      await eventually(async () => expect(await run('mails', 'ls')).toMatch(/ann@example.com +Test mail +SENT/));
    });

    it('shows, retries and discards failing messages', async () => {
      const queue = 'filesvc.previews';
      const id = await putFailingMessage(queue);
      const failing = () => run('queues', 'failing', queue);
      await eventually(async () => expect(await failing()).toMatch(new RegExp(`${id} +removed +[1-9].*There is no`)));
      expect(await run('queues', 'ls')).toMatch(/^QUEUE +WAITING .*\n[^]*filesvc\.previews +0 +0 +1 +1 +20/);
      const changed = async (...args: string[]) => (await at.start(['queues', ...args, queue, id], env).end).stderr;
      await eventually(async () => expect(await changed('retry')).toContain('1 of 1 messages retried'));
      await eventually(async () => expect(await changed('discard')).toContain('1 of 1 messages discarded'));
      await eventually(async () => expect(await failing()).not.toContain(id));
    });

    it('shows the health of all services', async () => {
      await eventually(async () =>
        expect(await run('health')).toMatch(/^PROCESS +HOST +STATE .*\n[^]*filesvc-worker +\S+ +READY /),
      );
    });

    it('lists signing keys', async () => {
      expect(await run('keys', 'ls')).toMatch(/^ID +ALGORITHM +STATE +FROM +NEEDED UNTIL\n[^]*signing/);
    });

    it('registers and deletes apps', async () => {
      const { email } = await enter();
      const name = `cli-${unique()}`;
      const create = ['apps', 'create', name, '--org', dev.orgId, '--owner', email, '--redirect-uri'];
      const app = await json<Named & { _secret: string }>(...create, 'https://app.example.com/');
      expect(app._secret).toEqual(expect.any(String));
      expect(await json('apps', 'get', app._id)).toEqual(expect.not.objectContaining({ _secret: expect.anything() }));
      expect(await run('apps', 'ls', '--limit', '1000')).toContain(name);
      const replaced = await json<typeof app>('apps', 'replace-secret', app._id, '--keep-old', '60');
      expect(replaced._secret).not.toBe(app._secret);
      await run('apps', 'rm', app._id);
      expect((await at.start(['apps', 'get', app._id], env).end).code).toBe(5);
    });
  });

  it('creates groups, and adds and removes members', async () => {
    env = { ...env, DTPLATFORM_TOKEN: token };
    const { id } = await createAccount();
    const group = await json<Named>('groups', 'create', 'Owners');
    expect(await run('groups', 'ls')).toMatch(/^NAME +SHORT NAME +NAMESPACE +ID\n(.*\n)*Owners /);
    await run('groups', 'add', group._id, id);
    const members = ['api', 'GET', `passportsvc/api/v1/usergroups/${group._id}/users`, '--query', '_list[]._id'];
    expect(await run(...members)).toContain(id);
    await run('groups', 'remove', group._id, id);
    expect(await run(...members)).not.toContain(id);
  });
});
