import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transform } from 'esbuild';
import { registerApp } from './cli/support.js';
import { typeErrorsOf } from './support/compile.js';
import { blocksOf } from './support/guide.js';
import type { Block } from './support/guide.js';
import { createAccount, enter, openWorkspace, trustedToken } from './support/people.js';
import type { Person } from './support/people.js';
import { dev, send } from './support/platform.js';
import { createOrchestrator, must, uploadFile } from './support/resources.js';
import { createDesk, runInNode, runInShell } from './support/run-snippets.js';
import type { Desk } from './support/run-snippets.js';

const PLATFORM = 'https://twins.example.com';
const unique = () => randomBytes(5).toString('hex');

/** The code of blocks, with existing values in place of their example values. */
const codeOf = (blocks: Block[], examples: Record<string, string>) =>
  blocks.map(({ text }) =>
    Object.entries({ [PLATFORM]: dev.baseUrl, ...examples }).reduce(
      (code, [example, real]) => code.replaceAll(example, real),
      text,
    ),
  );

const appOf = async (id: string) =>
  (await send('GET', `/passportsvc/api/v1/apps/${id}`, { token: await trustedToken() })).body as object;

let desk: Desk;
beforeAll(async () => {
  desk = await createDesk();
});
afterAll(() => desk.stop());

describe('the installation guide', () => {
  const calls = blocksOf('docs/guides/install.md', 'sh').filter(({ text }) => text.includes('$BASE'));

  it('makes the first user and the first app, and changes redirect URIs', async () => {
    expect(calls.length).toBe(5);
    const other = await registerApp('https://other.example.com/callback');
    const examples = {
      // The local stack has a second organization.
      "'._list[0]._id'": `'._list[]._id | select(. == "${dev.orgId}")'`,
      "$(kubectl get secret bootstrap -o jsonpath='{.data.app-secret}' | base64 -d)": dev.appSecret,
      'administration:': `${dev.appId}:`,
      'apps/administration': `apps/${other}`,
      '"Administration"': `"Administration ${unique()}"`,
      '"Viewer"': `"Viewer ${unique()}"`,
      'olga@': `olga-${unique()}@`,
    };
    const outputs = await runInShell(desk, codeOf(calls, examples));
    const created = JSON.parse(outputs[2]!) as { _id: string; _secret: string };
    expect(created._secret).toEqual(expect.any(String));
    const origins = 'https://viewer.example.com';
    const app = await appOf(created._id);
    expect(app).toMatchObject({ _redirectUris: `${origins}/callback`, _authorizedOrigins: origins });
    expect(await appOf(other)).toMatchObject({ _redirectUris: 'https://admin.example.com/callback' });
  });
});

describe('the guide to browsers', () => {
  it('shows how an app gets its origins', async () => {
    const id = await registerApp('https://app.example.com/callback');
    const [body] = codeOf(blocksOf('docs/guides/browsers.md', 'json'), { '"Viewer"': `"Viewer ${unique()}"` });
    const change = JSON.parse(body!) as object;
    const request = { token: await trustedToken(), json: change };
    expect((await send('PUT', `/passportsvc/api/v1/apps/${id}`, request)).status).toBe(200);
    expect(await appOf(id)).toMatchObject(change);
  });
});

describe('the guide to concepts', () => {
  it('shows a permission that can be granted', async () => {
    const owner = await enter();
    const namespace = await openWorkspace(owner);
    const created = await must(201, 'POST', '/passportsvc/api/v1/usergroups', {
      token: owner.token,
      json: [{ _name: 'Readers' }],
    });
    const examples = { tower_1: namespace, '66f0c0de0000000000000009': created.body._list[0]._id as string };
    const [permission] = codeOf(blocksOf('docs/guides/concepts.md', 'json'), examples);
    const json = [JSON.parse(permission!)];
    const { body } = await must(200, 'PUT', '/objectmodelsvc/api/v1/permissions', { token: owner.token, json });
    expect(body._list).toMatchObject({ _success: [{ _status: 201 }], _failures: [] });
  });
});

describe('the guide to OpenID Connect', () => {
  it('leads to a sign-in with a client library', async () => {
    const redirectUri = `http://localhost:${desk.port}/callback`;
    const app = await registerApp(redirectUri);
    const code = codeOf(blocksOf('docs/guides/openid-connect.md', 'js'), {
      ...{ APP_ID: `'${app}'`, 'https://app.example.com/callback': redirectUri },
      // The local stack has no TLS.
      "{ algorithm: 'oauth2' }": "{ algorithm: 'oauth2', execute: [client.allowInsecureRequests] }",
    });
    // The address is opened in a browser, which signs in or fails.
    const [output] = await runInNode(desk, [`${code.join('\n')}\nconsole.log(url.href);`]);
    expect(output).toContain(`client_id=${app}`);
  });
});

describe('the README of', () => {
  let owner: Person;
  let namespace: string;
  let examples: Record<string, string>;

  beforeAll(async () => {
    owner = await enter();
    namespace = await openWorkspace(owner);
    const orchestrator = await createOrchestrator(owner, namespace);
    await writeFile(desk.file('model.ifc'), 'ISO-10303-21;');
    examples = {
      tower_1: namespace,
      '66f0c0de0000000000000004': await uploadFile(owner, namespace),
      '66f0c0de0000000000000007': orchestrator,
      '66f0c0de0000000000000001': (await createAccount()).id,
    };
  });

  it('the repository shows a program that works', async () => {
    await writeFile(desk.file('README.md'), '# Tower');
    const [output] = await runInNode(desk, codeOf(blocksOf('README.md', 'js'), {}));
    expect(output).toContain('UPLOAD_COMPLETED');
  });

  it('the command line shows commands that work', async () => {
    const redirectUri = `http://localhost:${desk.port}/callback`;
    const app = await registerApp(redirectUri);
    const [, commands] = blocksOf('packages/cli/README.md', 'sh');
    const code = codeOf([commands!], { ...examples, 'my-app': `${app} --redirect-uri ${redirectUri}` });
    const [output] = await runInShell(desk, code, { user: owner });
    expect(output).toContain('Granted READ on filesvc:file:*.');
  });

  describe('the SDK', () => {
    const programs = blocksOf('packages/sdk/README.md', 'ts');
    const isForBrowsers = ({ text }: Block) => text.includes('signInOnPage');

    it('shows valid TypeScript', async () => {
      const globals = `
        declare const baseUrl: string, id: string, orchestrator: string, folders: string[];
        declare const client: import('@dtplatform/sdk').Client;
        declare const plan: import('@dtplatform/sdk').UploadOptions;
        declare const input: { files: FileList }, bar: HTMLProgressElement, signOutButton: HTMLButtonElement;
      `;
      const all = programs.map(({ text }) => text);
      expect(await typeErrorsOf(desk, all, globals)).toBe('');
    });

    it.each(programs.filter((block) => !isForBrowsers(block)))(
      'shows what works: $heading, snippet $#',
      async (block) => {
        const before = `
        import { createClient } from '@dtplatform/sdk';
        const auth = process.env.TOKEN;
        const client = createClient({ baseUrl: '${dev.baseUrl}', auth, namespace: '${namespace}' });
        const [id, orchestrator] = ['66f0c0de0000000000000004', '66f0c0de0000000000000007'];
        const folder = await client.call('filesvc.uploads.initiate', {
          query: { nsfilter: '${namespace}', _namespaces: ['${namespace}'], _name: '${unique()}' },
        });
        const plan = { name: '${unique()}', content: new Uint8Array(3) };
        const input = { files: [new File(['plan'], '${unique()}')] };
        Object.assign(globalThis, { client, id, orchestrator, folders: [folder._id], plan, input, bar: {} });
      `;
        const [code, prelude] = codeOf([block, { ...block, text: before }], examples);
        const program = (await transform(code!, { loader: 'ts', format: 'esm' })).code;
        const env = { APP_ID: dev.appId, APP_SECRET: dev.appSecret, TOKEN: owner.token };
        const outputs = await runInNode(desk, [program], { env, before: prelude });
        expect(outputs.length).toBe(1);
      },
    );
  });
});
