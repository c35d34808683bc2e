import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterAll, expect, it } from '@jest/globals';
import { silentLogger } from '@dtplatform/logging';
import { connectRedis } from '../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'redis-tls-'));
const server = certificate('server');
const client = certificate('client');
const strangers = certificate('stranger');

const redisUrl = new URL(process.env.REDIS_URL ?? '');
const pem = readFileSync(server);
/** TLS in front of Redis, for callers with the client's certificate. */
const proxy = createServer(
  { cert: pem, key: pem, ca: readFileSync(client), requestCert: true, rejectUnauthorized: true },
  (socket) => {
    const redis = connect(Number(redisUrl.port), redisUrl.hostname);
    socket.pipe(redis).pipe(socket);
    socket.on('error', () => redis.destroy());
    redis.on('error', () => socket.destroy());
  },
);
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
const address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
afterAll(async () => {
  await new Promise((resolve) => proxy.close(resolve));
  rmSync(folder, { recursive: true });
});

function certificate(name: string): string {
  const at = (suffix: string) => join(folder, `${name}.${suffix}`);
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', at('key')];
  execFileSync('openssl', ['req', '-x509', '-days', '2', ...key, '-out', at('crt'), ...subject], { stdio: 'ignore' });
  writeFileSync(at('pem'), readFileSync(at('crt'), 'utf8') + readFileSync(at('key'), 'utf8'));
  return at('pem');
}

const open = (credentials: string, options: Record<string, string>) => {
  const query = new URLSearchParams({ tlsCAFile: server, ...options });
  return connectRedis({
    url: `rediss://${credentials}${address}?${String(query)}`,
    kind: 'cache',
    log: silentLogger(),
  });
};

it('connects with a client certificate, and as an ACL user with a password of any character', async () => {
  const admin = await connectRedis({ url: redisUrl.href, kind: 'cache', log: silentLogger() });
  const user = `u@:/${process.pid}`;
  const password = 'p@ss:/?#[]%& ö';
  await admin.client.acl('SETUSER', user, 'reset', 'on', `>${password}`, '~test:*', '+@all');
  const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
  const redis = await open(credentials, { tlsCertificateKeyFile: client });
  try {
    expect(await redis.client.acl('WHOAMI')).toBe(user);
    await expect(redis.client.get('other')).rejects.toThrow('NOPERM');
  } finally {
    await redis.close();
    await admin.client.acl('DELUSER', user);
    await admin.close();
  }
});

it.each([
  ['another certificate', { tlsCertificateKeyFile: strangers }],
  ['no certificate', {}],
])('stays unavailable with %s', async (_name, options) => {
  const redis = await open('', options);
  await expect(redis.ping()).rejects.toThrow();
  await redis.close();
});
