import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dev } from './support/platform.js';

const run = promisify(execFile);
const TIMEOUT_MS = 120_000;
/** The lowest supported version of each major version. */
const VERSIONS = ['20.19.0', '22.12.0', '24.0.0'];
const PROGRAM = `
import { clientCredentials, createClient } from '@dtplatform/sdk';
import { uploadFromFile } from '@dtplatform/sdk/node';
const { BASE: baseUrl, ID: clientId, SECRET: clientSecret } = process.env;
const client = createClient({ baseUrl, auth: clientCredentials({ baseUrl, clientId, clientSecret }) });
const { _list } = await client.call('passportsvc.workspaces.create', { body: [{ _name: 'Installed' }] });
console.log((await uploadFromFile(client.in(_list[0]._namespaces[0]), 'package.json'))._status);
`;

describe('client packages of the platform, installed in an empty folder', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  const npm = (...args: string[]) => run('npm', [...args, '--no-audit', '--no-fund'], { cwd: folder, env });
  const nodeOf = (version: string) => path.join(folder, `node_modules/node-${version}/bin/node`);

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'dtplatform-installed-'));
    env = { ...process.env, NODE_OPTIONS: '', BASE: dev.baseUrl, ID: dev.appId, SECRET: dev.appSecret };
    const nodes = VERSIONS.map((version) => `node-${version}@npm:node-linux-${process.arch}@${version}`);
    await writeFile(path.join(folder, 'package.json'), '{"type": "module"}');
    await npm('install', `${dev.baseUrl}/packages/sdk.tgz`, `${dev.baseUrl}/packages/dt.tgz`, ...nodes);
    await writeFile(path.join(folder, 'program.mjs'), PROGRAM);
  }, TIMEOUT_MS);
  afterAll(() => rm(folder, { recursive: true }));

  it.each(VERSIONS)('run on Node.js %s', async (version) => {
    const { stdout } = await run(nodeOf(version), ['program.mjs'], { cwd: folder, env });
    expect(stdout).toBe('UPLOAD_COMPLETED\n');
    const credentials = {
      DTPLATFORM_BASE_URL: env.BASE,
      DTPLATFORM_CLIENT_ID: env.ID,
      DTPLATFORM_CLIENT_SECRET: env.SECRET,
    };
    const dt = [path.join(folder, 'node_modules/.bin/dt'), 'workspaces', '--json'];
    const listed = await run(nodeOf(version), dt, { cwd: folder, env: { ...env, ...credentials } });
    expect(listed.stdout).toContain('"Installed"');
  });

  it('run as the guides install the command line', async () => {
    const prefix = path.join(folder, 'global');
    await npm('install', '--global', '--prefix', prefix, `${dev.baseUrl}/packages/dt.tgz`);
    const { stdout } = await run(path.join(prefix, 'bin/dt'), ['--version'], { cwd: folder, env });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
