import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, upload } from '@dtplatform/sdk';
import type { Client } from '@dtplatform/sdk';
import { eventually, startCuttableProxy } from '@dtplatform/testing';
import { createAccount, openWorkspace } from '../support/people.js';
import { dev } from '../support/platform.js';
import { createOrchestrator } from '../support/resources.js';
import { createMachine } from './support.js';

const wait = (ms: number) => ({ _orchcomp: 'wait', _sequenceno: 1, _name: 'wait', _actualparams: { ms } });

describe('dt', () => {
  let at: Awaited<ReturnType<typeof createMachine>>;
  let token: string;
  let namespace: string;
  let client: Client;
  const local = (name: string) => path.join(at.folder, name);

  beforeAll(async () => {
    at = await createMachine();
    expect((await at.login()).ended.code).toBe(0);
    const { tokens } = JSON.parse(await readFile(local('config/sessions/default.json'), 'utf8')) as { tokens: string };
    token = (JSON.parse(tokens) as { accessToken: string }).accessToken;
    namespace = await openWorkspace({ ...at.account, token });
    client = createClient({ baseUrl: dev.baseUrl, auth: token, namespace });
    expect((await at.dt('workspaces', 'use', namespace)).code).toBe(0);
  });
  afterAll(() => at.stop());

  it('uploads, lists and downloads files', async () => {
    const content = randomBytes(100_000);
    await writeFile(local('plan.bin'), content);
    const uploaded = await at.dt('files', 'upload', 'plan.bin', '--tag', 'plan');
    expect(uploaded).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f]{24} {2}plan\.bin\n$/) });
    const [id = ''] = uploaded.stdout.split(' ');
    expect(await readdir(local('config/uploads'))).toEqual([]);
    expect((await at.dt('files', 'ls', '--tag', 'plan')).stdout).toMatch(/plan\.bin +97\.7 KiB +completed/);

    expect((await at.dt('files', 'get', id)).code).toBe(2);
    expect((await at.dt('files', 'get', id, '-o', 'copy.bin')).code).toBe(0);
    expect(await readFile(local('copy.bin'))).toEqual(content);
    expect((await at.dt('files', 'get', id, '--force')).code).toBe(0);
    const piped = openSync(local('piped.bin'), 'w');
    expect((await at.start(['files', 'get', id, '-o', '-'], {}, { stdout: piped }).end).code).toBe(0);
    closeSync(piped);
    expect(await readFile(local('piped.bin'))).toEqual(content);
  });

  it("sanitizes others' names for the terminal and the disk", async () => {
    const { _id: id } = await upload(client, { name: 'plan\u202efdp.txt', content: new Uint8Array([65]) });
    expect((await at.dt('files', 'get', id)).code).toBe(0);
    expect(await readFile(local('plan�fdp.txt'), 'utf8')).toBe('A');
    const item = { _name: 'Notes', _shortName: 'notes', _description: '', _userType: 'note' };
    const body = [{ ...item, _namespaces: [namespace], _itemClass: 'NamedUserCollection' as const }];
    const [notes] = (await client.call('itemsvc.items.create', { body }))._list;
    const note = [{ text: 'Red \u001b[31m' }];
    await client.call('itemsvc.relatedItems.createMany', { path: { id: notes!._id }, body: note });
    const { stdout } = await at.dt('items', 'query', '--in', notes!._id);
    expect(stdout).toContain('Red �[31m');
    expect(stdout).not.toContain('\u001b[31m');
  });

  it('resumes an interrupted upload', async () => {
    await writeFile(local('model.bin'), randomBytes(9_000_000));
    const { hostname, port } = new URL(dev.baseUrl);
    const proxy = await startCuttableProxy({ hostname, port });
    const through = { DTPLATFORM_BASE_URL: proxy.url, DTPLATFORM_TOKEN: token, DTPLATFORM_NAMESPACE: namespace };
    proxy.cutAfter('PATCH /filesvc');
    const first = at.start(['files', 'upload', 'model.bin'], through);
    const cut = await first.end;
    expect([cut.code, cut.stderr]).toEqual([7, expect.stringContaining('run the same command again to continue')]);
    const [known] = await readdir(local('config/uploads'));
    const { id } = JSON.parse(await readFile(local(`config/uploads/${known!}`), 'utf8')) as { id: string };
    proxy.mend();
    const second = await at.start(['files', 'upload', 'model.bin', '--json'], through).end;
    expect(JSON.parse(second.stdout)).toMatchObject([{ _id: id, _status: 'UPLOAD_COMPLETED' }]);
    await proxy.close();
  });

  it('queries items and their related items', async () => {
    const item = { _name: 'Doors', _shortName: 'doors', _description: '', _userType: 'door' };
    const body = [{ ...item, _namespaces: [namespace], _itemClass: 'NamedUserCollection' as const }];
    const { _list } = await client.call('itemsvc.items.create', { body });
    const id = _list[0]!._id;
    const doors = [1, 2, 3].map((number) => ({ _sourceId: `d${number}`, number }));
    await client.call('itemsvc.relatedItems.createMany', { path: { id }, body: doors });
    expect((await at.dt('items', 'query', '{"_userType": "door"}')).stdout).toMatch(/^NAME +SHORT.*\n+Doors +doors/i);
    const found = await at.json('items', 'query', '{"number": {"$gt": 1}}', '--in', id, '--sort', '{"number": -1}');
    expect(found).toMatchObject([{ number: 3 }, { number: 2 }]);
    expect((await at.dt('items', 'query', 'no json')).code).toBe(2);
    expect((await at.dt('items', 'query', '{"$where": "1"}')).code).toBe(1);
  });

  it('starts runs and waits for them', async () => {
    const owner = { ...at.account, token };
    const quick = await createOrchestrator(owner, namespace, [wait(1)]);
    expect((await at.dt('runs', 'start', quick, '--watch')).stdout).toMatch(/status +COMPLETED/);
    expect(await at.json('runs', 'ls')).toMatchObject([{ _status: 'COMPLETED' }]);

    const { id } = await at.json<{ id: string }>(
      'runs',
      'start',
      await createOrchestrator(owner, namespace, [wait(60_000)]),
    );
    const watching = at.start(['runs', 'watch', id]);
    await eventually(() => expect(watching.seen.stderr).toContain('RUNNING'));
    await client.call('datasourcesvc.runs.cancel', { path: { id } });
    expect((await watching.end).code).toBe(8);
  });

  it('grants and shows permissions', async () => {
    const { id } = await createAccount();
    expect((await at.dt('permissions', 'grant', 'filesvc:file:*', 'READ')).code).toBe(2);
    expect((await at.dt('permissions', 'grant', 'filesvc:file:*', 'READ', 'EDIT', '--user', id)).code).toBe(0);
    expect((await at.dt('permissions', 'ls', '--user', id)).stdout).toMatch(/filesvc:file:\* +(READ, EDIT|EDIT, READ)/);
    expect((await at.dt('permissions', 'grant', 'filesvc:file:*', 'FLY', '--user', id)).code).toBe(2);
    const grant = ['permissions', 'grant', 'filesvc:file:*', 'READ'];
    expect((await at.dt(...grant, '--user', id, '--namespace', 'somebody-elses')).code).toBe(4);
    expect((await at.dt(...grant, '--user', 'f'.repeat(24))).code).toBe(1);
    expect((await at.dt('permissions', 'ls')).stdout).toMatch(/\*:\*:\* +\*/);
  });

  it('has distinct exit codes for scripts', async () => {
    const unknown = await at.dt('files', 'get', 'f'.repeat(24));
    expect([unknown.code, unknown.stderr]).toEqual([5, expect.stringMatching(/\(NOT_FOUND, request \S+\)/)]);
    const away = { DTPLATFORM_BASE_URL: 'http://127.0.0.1:1', DTPLATFORM_TOKEN: token };
    const unreachable = await at.start(['workspaces'], away).end;
    expect([unreachable.code, unreachable.stderr]).toEqual([7, expect.stringContaining('cannot be reached')]);
    expect((await at.dt('files', 'upload', 'plan.bin', '--namespace', 'somebody-elses')).code).toBe(4);
    expect((await at.dt('--profile', 'constructor', 'whoami')).code).toBe(2);
    expect((await at.dt('--help')).code).toBe(0);
    expect((await at.dt('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('leaves stdin to the calling script', async () => {
    await writeFile(local('ids'), 'one\ntwo\n');
    const ids = openSync(local('ids'), 'r');
    expect((await at.start(['files', 'ls'], {}, { stdin: ids }).end).code).toBe(0);
    expect(readFileSync(ids, 'utf8')).toBe('one\ntwo\n');
    closeSync(ids);
  });

  it('reports a full disk', async () => {
    const { _id: id } = await upload(client, { name: 'big.bin', content: new Uint8Array(1_000_000) });
    const full = openSync('/dev/full', 'w');
    const { code, stderr } = await at.start(['files', 'get', id, '-o', '-'], {}, { stdout: full }).end;
    closeSync(full);
    expect([code, stderr]).toEqual([9, expect.stringContaining('ENOSPC')]);
    await expect(stat(local('big.bin'))).rejects.toThrow('ENOENT');
  });

  it('completes commands', async () => {
    expect((await at.dt('completion', 'bash')).stdout).toContain('complete -o default -F _dt dt');
    expect((await at.dt('__complete', 'files')).stdout.split('\n')).toEqual(
      expect.arrayContaining(['ls', 'upload', 'get', 'mkdir', 'mv', 'rm', '--json', '--help']),
    );
    expect((await at.dt('__complete', '--', 'users', 'ls', '--output')).stdout).toBe('table\njson\nyaml\ncsv\n');
    expect((await at.dt('__complete', 'api')).stdout).toMatch(/^GET\nPOST\n/);
    expect((await at.dt('__complete')).stdout).not.toContain('__complete');
    expect((await at.dt('completion', 'cmd')).code).toBe(2);
  });
});
