import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { repoRoot, until } from '@dtplatform/stack';
import { SERVICE_NAMES } from '../context.js';

const ISSUER = '/passportsvc/api/v1/oauth';
/** Paths that belong to no service, including some that start like a service's. */
const NOBODYS = ['/', '/nobody', '/auth', '/auth/realmsx', '/filesvcx/api/v1/files', '/api/v1/files'];
const TIMEOUT_MS = 60_000;

/** Waits until the platform can be reached: routers apply new routes and certificates with a delay. */
export async function untilReachable(baseUrl: string, signal: AbortSignal): Promise<void> {
  let answer = '';
  const isReachable = async () => {
    answer = await get(baseUrl, `${ISSUER}/jwks`).then(({ status }) => `status ${status}`, reasonOf);
    return answer === 'status 200';
  };
  const limits = { timeoutMs: TIMEOUT_MS, everyMs: 500, signal };
  await until('a reply', isReachable, limits).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new Error(`${baseUrl} cannot be reached: ${answer}`, { cause: error });
  });
}

/**
 * Checks that each prefix leads to its service, and that other paths are not found. Resolves with the number of paths.
 */
export async function checkPaths(baseUrl: string): Promise<number> {
  for (const name of SERVICE_NAMES) {
    const { info } = JSON.parse(await readFile(path.join(repoRoot, `services/${name}/openapi.json`), 'utf8')) as Api;
    const reply = await get(baseUrl, `/${name}/api/v1/openapi.json`);
    expect(`/${name}`, (JSON.parse(reply.text) as Api).info.title, info.title);
  }
  const { text } = await get(baseUrl, `/.well-known/oauth-authorization-server${ISSUER}`);
  expect('the issuer', (JSON.parse(text) as { issuer: string }).issuer, `${baseUrl}${ISSUER}`);
  const realms = await get(baseUrl, '/auth/realms/master/scim/deliveries');
  expect('/auth/realms without a token', realms.status, 401);
  expect('the documentation', (await get(baseUrl, '/docs/')).status, 200);
  for (const nobodys of NOBODYS) expect(nobodys, (await get(baseUrl, nobodys)).status, 404);
  return SERVICE_NAMES.length + 3 + NOBODYS.length;
}

interface Api {
  info: { title: string };
}

async function get(baseUrl: string, location: string): Promise<{ status: number; text: string }> {
  const init = { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) } as const;
  const response = await fetch(new URL(location, baseUrl), init);
  return { status: response.status, text: await response.text() };
}

function expect(what: string, got: unknown, expected: unknown): void {
  if (got !== expected) throw new Error(`${what} is ${String(got)}, not ${String(expected)}`);
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: Error };
  return cause?.message ?? message;
}
