import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { freePort } from '@dtplatform/stack';
import { signInAsBrowser } from '@dtplatform/stack/client';
import { createAccount, enter, trustedToken } from '../support/people.js';
import type { Account } from '../support/people.js';
import { dev } from '../support/platform.js';
import { repositoryFile } from '../support/repository.js';
import { must } from '../support/resources.js';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface Io {
  stdin?: 'ignore' | 'pipe' | number;
  stdout?: 'pipe' | number;
}

const PROGRAM = repositoryFile('packages/cli/dist/main.js');

interface LoginIn {
  arrive?: (back: URL, command: { child: ChildProcess }) => Promise<unknown>;
  /** Who signs in, instead of the user of the machine. */
  account?: Account;
  /** Additional environment variables. */
  more?: NodeJS.ProcessEnv;
}

/** A machine with the command line, and its user. */
export async function createMachine() {
  const folder = await mkdtemp(path.join(tmpdir(), 'dtplatform-cli-'));
  const account = await createAccount();
  const redirectUri = `http://127.0.0.1:${await freePort()}/callback`;
  const clientId = await registerApp(redirectUri);
  const { DTPLATFORM_TOKEN: _, ...inherited } = process.env;
  const env = { ...inherited, DTPLATFORM_CONFIG: path.join(folder, 'config'), NODE_OPTIONS: '' };

  /** Starts a command with an empty stdin and captured output unless `io` overrides it. */
  function start(args: string[], more: NodeJS.ProcessEnv = {}, { stdin = 'ignore', stdout = 'pipe' }: Io = {}) {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      ...{ cwd: folder, env: { ...env, ...more } },
      stdio: [stdin, stdout, 'pipe'],
    });
    const ended: Ended = { code: null, stdout: '', stderr: '' };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (ended.stdout += text));
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (ended.stderr += text));
    const end = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ ...ended, code })));
    return { child, end, seen: ended };
  }

  const dt = (...args: string[]) => start(args).end;

  return {
    ...{ folder, account, redirectUri, clientId, start, dt },
    /** Runs a command that must succeed, and returns its JSON. */
    async json<T>(...args: string[]): Promise<T> {
      const { code, stdout, stderr } = await dt('--json', ...args);
      if (code !== 0) throw new Error(`dt ${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout) as T;
    },
    /** Signs the user in. @param arrive handles the redirect URL of the browser */
    async login(args: string[] = [], { arrive = (back) => fetch(back), account: who = account, more }: LoginIn = {}) {
      const from = ['--base-url', dev.baseUrl, '--client-id', clientId, '--redirect-uri', redirectUri, '--no-browser'];
      const command = start(['login', ...from, ...args], more, { stdin: 'pipe' });
      const url = await urlIn(command.child.stderr!);
      const back = await signInAsBrowser(url, who, { redirectUri });
      const arrived = await arrive(back, command);
      return { command, arrived, ended: await command.end };
    },
    stop: () => rm(folder, { recursive: true }),
  };
}

/** A platform that knows nobody and records requests. */
export async function startStranger(status = 401) {
  const seen: string[] = [];
  const server = createServer(({ method, url }, res) => {
    seen.push(`${method} ${url}`);
    res.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, seen, stop: () => new Promise((resolve) => server.close(resolve)) };
}

/** The URL of the sign-in page, once the command has printed it. */
async function urlIn(stderr: NodeJS.ReadableStream): Promise<URL> {
  let text = '';
  return new Promise((resolve, reject) => {
    stderr.on('data', (some: string) => {
      text += some;
      const url = /Sign in at (\S+)\n/.exec(text)?.[1];
      if (url !== undefined) resolve(new URL(url));
    });
    stderr.on('end', () => reject(new Error(`no address: ${text}`)));
  });
}

/** Registers an app for users' sign-ins, and returns its id. */
export async function registerApp(redirectUri: string): Promise<string> {
  const owner: Account = await enter();
  const names = { _name: `cli-${randomBytes(4).toString('hex')}`, _appOwner: owner.email, _orgId: dev.orgId };
  const json = { ...names, _redirectUris: redirectUri };
  const { body } = await must(201, 'POST', '/passportsvc/api/v1/apps', { token: await trustedToken(), json });
  return body._id as string;
}
