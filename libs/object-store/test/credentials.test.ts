import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { failureOf, openStore } from './support.js';

const NO_KEYS = { accessKey: undefined, secretKey: undefined };
/** Variables by which a cluster gives a pod its cloud identity, and those that would take precedence. */
const NAMES = ['AWS_CONTAINER_CREDENTIALS_FULL_URI', 'AWS_CONTAINER_AUTHORIZATION_TOKEN', 'AWS_ACCESS_KEY_ID'];

describe('a store without keys', () => {
  let server: Server;
  const tokens: (string | undefined)[] = [];
  const before = NAMES.map((name) => [name, process.env[name]] as const);

  beforeEach(async () => {
    server = createServer((req, res) => {
      tokens.push(req.headers.authorization);
      const Expiration = new Date(Date.now() + 3_600_000).toISOString();
      const { S3_ACCESS_KEY: AccessKeyId, S3_SECRET_KEY: SecretAccessKey } = process.env;
      res.setHeader('content-type', 'application/json');
      res.end(JSON.stringify({ AccessKeyId, SecretAccessKey, Expiration }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `http://127.0.0.1:${(server.address() as AddressInfo).port}/role`;
    process.env.AWS_CONTAINER_AUTHORIZATION_TOKEN = 'token-of-the-pod';
    delete process.env.AWS_ACCESS_KEY_ID;
  });
  afterEach(async () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    await new Promise((resolve) => server.close(resolve));
  });

  it('gets those of its cloud identity once, for calls and signed URLs', async () => {
    const store = openStore(NO_KEYS);
    await store.ensureBucket();
    await store.put('a', Buffer.from('content'));
    const url = await store.presignGet('a', { expiresInSec: 60, filename: 'a.txt' });
    expect(await (await fetch(url)).text()).toBe('content');
    expect(new Set(tokens)).toEqual(new Set(['token-of-the-pod']));
    expect(tokens.length).toBeLessThanOrEqual(2);
    store.close();
  });
});

describe('a store with only one of both keys', () => {
  it('does not open', async () => {
    const failure = await failureOf((async () => openStore({ secretKey: undefined }))());
    expect(failure).toMatchObject({ message: 'S3_ACCESS_KEY and S3_SECRET_KEY belong together' });
  });
});
