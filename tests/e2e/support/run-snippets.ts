import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { signInAsBrowser } from '@dtplatform/stack/client';
import { dev, devJsonFile } from './platform.js';
import type { Account } from './people.js';
import { freePort } from '@dtplatform/stack';
import { repositoryFile } from './repository.js';

const END = '--- end of a step';
const MAX_MS = 50_000;
/** The redirect URI in guides. Tests use a free port. */
const PORT = /(?<=localhost(?::|%3A))3000\b/g;

interface Running {
  env?: NodeJS.ProcessEnv;
  /** The user who signs in. Defaults to the administrator. */
  user?: Pick<Account, 'email' | 'password'>;
  /** A module that is loaded first. */
  before?: string;
}

/** A working folder in which programs find the SDK and the shell finds `dt`. */
export async function createDesk() {
  const folder = await mkdtemp(path.join(tmpdir(), 'dtplatform-guide-'));
  const file = (name: string) => path.join(folder, name);
  await Promise.all([mkdir(file('.dtplatform')), mkdir(file('bin'))]);
  await symlink(path.resolve(devJsonFile), file('.dtplatform/dev.json'));
  await symlink(repositoryFile('node_modules'), file('node_modules'));
  const dt = `#!/bin/sh\nexec '${process.execPath}' '${repositoryFile('packages/cli/dist/main.js')}' "$@"\n`;
  await writeFile(file('bin/dt'), dt, { mode: 0o755 });
  return { folder, file, port: String(await freePort()), stop: () => rm(folder, { recursive: true }) };
}

export type Desk = Awaited<ReturnType<typeof createDesk>>;

/** Node.js's notation omits deep values. */
const PRINT_JSON = `
  const print = console.log;
  console.log = (value) => print(typeof value === 'string' ? value : JSON.stringify(value));
`;

/** Runs snippets in one shell, as pasted by a reader. @returns the output of each */
export function runInShell(desk: Desk, snippets: string[], how: Running = {}): Promise<string[]> {
  const script = ['exec 2>&1', ...snippets.flatMap((code) => [code, `echo; echo '${END}'`])].join('\n');
  return run(desk, ['bash', '-euo', 'pipefail', '-c', script.replaceAll(PORT, desk.port)], how);
}

/** Runs snippets as one Node.js program. @returns the output of each */
export async function runInNode(desk: Desk, snippets: string[], how: Running = {}): Promise<string[]> {
  const program = snippets.map((code) => `${code}\nconsole.log('\\n${END}');`).join('\n');
  await writeFile(desk.file('program.mjs'), program.replaceAll(PORT, desk.port));
  await writeFile(desk.file('before.mjs'), `${how.before ?? ''}\n${PRINT_JSON}`);
  return run(desk, [process.execPath, '--import', './before.mjs', 'program.mjs'], how);
}

/** JSON, not Python's notation. */
const PRINT_JSON_IN_PYTHON = `
import builtins, json
def print(*values):
    builtins.print(*(each if isinstance(each, str) else json.dumps(each) for each in values), flush=True)
`;

/** Runs snippets as one Python program. @returns the output of each */
export async function runInPython(python: string, desk: Desk, snippets: string[], how: Running = {}) {
  const program = [PRINT_JSON_IN_PYTHON, ...snippets.flatMap((code) => [code, `print('\\n${END}')`])].join('\n');
  await writeFile(desk.file('program.py'), program.replaceAll(PORT, desk.port));
  return run(desk, [python, 'program.py'], how);
}

async function run(desk: Desk, [command = '', ...args]: string[], { env, user = dev.admin }: Running) {
  const { NODE_OPTIONS: _, DTPLATFORM_TOKEN: __, ...inherited } = process.env;
  const own = { DTPLATFORM_CONFIG: desk.file('config'), BROWSER: 'true' };
  const child = spawn(command, args, {
    ...{ cwd: desk.folder, timeout: MAX_MS, killSignal: 'SIGKILL', stdio: ['pipe', 'pipe', 'inherit'] },
    env: { ...inherited, ...own, PATH: `${desk.file('bin')}:${process.env.PATH}`, ...env },
  });
  // A program that has ended takes no more input.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const answerSignIns = createBrowser(user, (address) => child.stdin.write(`${address}\n`));
  let output = '';
  for await (const text of child.stdout.setEncoding('utf8')) await answerSignIns((output += text as string));
  const code = await ended;
  if (code !== 0) throw new Error(`The snippets ended with ${code}:\n${output}`);
  return output.replaceAll(`localhost:${desk.port}`, 'localhost:3000').split(END).slice(0, -1);
}

/**
 * Opens the printed sign-in pages in one browser: the second sign-in needs no password.
 * @param paste handles the address of a page that the browser cannot open
 */
function createBrowser(user: Pick<Account, 'email' | 'password'>, paste: (address: string) => void) {
  const cookies = new Map<string, string>();
  const answered = new Set<string>();
  return async (output: string) => {
    for (const [address] of output.matchAll(/http\S+\/oauth\/authorize\?\S+(?=\s)/g)) {
      if (answered.has(address)) continue;
      answered.add(address);
      const redirectUri = new URL(address).searchParams.get('redirect_uri')!;
      const { href } = await signInAsBrowser(new URL(address), user, { redirectUri, cookies });
      await fetch(href).catch(() => paste(href));
    }
  };
}
