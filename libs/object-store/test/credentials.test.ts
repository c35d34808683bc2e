import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../testing/src/eventually.js';
import { failureOf, openStore } from './support.js';

const VARIABLES = ['AWS_CONTAINER_CREDENTIALS_FULL_URI', 'AWS_CONTAINER_AUTHORIZATION_TOKEN', 'AWS_ACCESS_KEY_ID'];
const before = VARIABLES.map((name) => [name, process.env[name]] as const);

/** Stand-in for the credentials endpoint of a cluster and for S3, since the test server knows no session tokens. */
let lifetimeMs = 3_600_000;
let issued = 0;
const tokensOfPods: (string | undefined)[] = [];
const calls: { credential?: string; session?: unknown }[] = [];
const server = createServer((req, res) => {
  if (req.url === '/role') {
    tokensOfPods.push(req.headers.authorization);
    issued += 1;
    res.setHeader('content-type', 'application/json');
    res.end(
      JSON.stringify({
        AccessKeyId: `KEY${issued}`,
        SecretAccessKey: 'secret',
        Token: `session ${issued}`,
        Expiration: new Date(Date.now() + lifetimeMs).toISOString(),
      }),
    );
    return;
  }
  const [, credential] = /Credential=(\w+)/.exec(req.headers.authorization ?? '') ?? [];
  calls.push({ credential, session: req.headers['x-amz-security-token'] });
  res.end();
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe('a store without keys', () => {
  afterEach(() => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });
  function openWithIdentity() {
    process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `${endpoint}/role`;
    process.env.AWS_CONTAINER_AUTHORIZATION_TOKEN = 'token of the pod';
    delete process.env.AWS_ACCESS_KEY_ID;
    return openStore({ endpoint, accessKey: undefined, secretKey: undefined });
  }

  it('signs calls and URLs with the credentials of its cloud identity', async () => {
    const store = openWithIdentity();
    await store.ping();
    await store.ping();
    expect(tokensOfPods).toEqual(['token of the pod']);
    expect(calls).toEqual(Array(2).fill({ credential: 'KEY1', session: 'session 1' }));
    const url = new URL(await store.presignGet('a', { expiresInSec: 60, filename: 'a.txt' }));
    expect(url.searchParams.get('X-Amz-Credential')).toMatch(/^KEY\d\//);
    expect(url.searchParams.get('X-Amz-Security-Token')).toMatch(/^session \d$/);
    store.close();
  });

  it('renews them before they expire', async () => {
    lifetimeMs = 30_000;
    const store = openWithIdentity();
    await store.ping();
    const first = calls.at(-1)!;
    await eventually(async () => {
      await store.ping();
      expect(calls.at(-1)).not.toEqual(first);
    });
    store.close();
  });
});

describe('a store with only one of both keys', () => {
  it('does not open', async () => {
    const failure = await failureOf((async () => openStore({ secretKey: undefined }))());
    expect(failure).toMatchObject({ message: 'S3_ACCESS_KEY and S3_SECRET_KEY belong together' });
  });
});
