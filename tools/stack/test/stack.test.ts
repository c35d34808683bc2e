import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Stack, silentReport, startStack } from '../src/index.js';
import { freePort } from '../src/ports.js';
import { readEverywhere, writeEverywhere } from './fixtures/keep-value.js';
import { until } from '../src/processes/until.js';
import { keepLines } from './fixtures/lines.js';
import { withoutBackends } from './fixtures/own-backends.js';
import { noProcessesWith } from './fixtures/processes.js';
import { brokensvc, echosvc, silentsvc } from './fixtures/services.js';
import { tempDir } from './fixtures/temp-dir.js';

const env = withoutBackends();
/** For tests that are not about backends. */
const shared = process.env;

const echo = async (stack: Stack): Promise<Record<string, string>> => {
  const response = await fetch(`${stack.baseUrl}/echosvc/anything`);
  return ((await response.json()) as { env: Record<string, string> }).env;
};

describe('startStack', () => {
  it('reuses the data and secrets of an earlier start, and starts from scratch with `fresh`', async () => {
    const stateDir = await tempDir();
    const options = { stateDir, report: silentReport, env, services: [echosvc] };
    const first = await startStack(options);
    await writeEverywhere(first.backends, 'kept');
    await first.stop();
    await noProcessesWith(stateDir);

    const second = await startStack(options);
    expect(await readEverywhere(second.backends)).toEqual({ mongo: 'kept', redis: 'kept', s3: 'kept' });
    expect({ ...second.dev, baseUrl: '' }).toEqual({ ...first.dev, baseUrl: '' });
    await second.stop();

    const anew = await startStack({ ...options, fresh: true });
    expect(await readEverywhere(anew.backends).catch(() => 'nothing')).toBe('nothing');
    expect(anew.dev.appSecret).not.toBe(first.dev.appSecret);
    await anew.stop();
    await noProcessesWith(stateDir);
  });

  it('runs migration, service and worker with their settings, reports each, and continues when one ends', async () => {
    const stateDir = await tempDir();
    const { report, text } = keepLines();
    const stack = await startStack({ stateDir, report, env: shared, services: [echosvc] });
    expect(stack.services.map(({ name }) => name).sort()).toEqual(['echosvc', 'echosvc-worker']);
    expect(text()).toMatch(/✓ services +ready: echosvc$/m);
    expect(await readFile(path.join(stateDir, 'logs/echosvc-migrate.log'), 'utf8')).toContain('dtplatform_echosvc');
    expect(await readFile(path.join(stateDir, 'logs/echosvc.log'), 'utf8')).toContain('echosvc listens');
    expect(await echo(stack)).toMatchObject({
      BASE_URL: stack.baseUrl,
      OAUTH_ISSUER: `${stack.baseUrl}/passportsvc/api/v1/oauth`,
      MONGO_DB: 'dtplatform_echosvc',
      S3_BUCKET: 'dtplatform-echosvc',
      SERVICE_CLIENT_SECRET: expect.stringMatching(/^.{32}$/),
      ECHOSVC_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    });

    // What programs need, for the user alone.
    expect(JSON.parse(await readFile(path.join(stateDir, 'dev.json'), 'utf8'))).toEqual(stack.dev);
    expect(stack.dev.baseUrl).toBe(stack.baseUrl);
    for (const file of ['dev.json', 'secrets.json'])
      expect((await stat(path.join(stateDir, file))).mode & 0o777).toBe(0o600);

    const worker = stack.services.find(({ name }) => name === 'echosvc-worker')!;
    worker.kill();
    await worker.exited;
    expect(text()).toMatch(/! echosvc-worker +ended \(SIGKILL\)/);
    expect(await echo(stack)).toBeDefined();
    await stack.stop();
  });

  it('runs the documentation site beside the services, without their backends, and stops it', async () => {
    const stateDir = await tempDir();
    const site = { name: 'site', prefixes: ['/docs'], programs: echosvc.programs } as const;
    const stack = await startStack({ stateDir, report: silentReport, env: shared, services: [echosvc], site });
    expect(stack.services.map(({ name }) => name)).not.toContain('site');
    expect(await readFile(path.join(stateDir, 'logs/site.log'), 'utf8')).toContain('listens');
    const { path: at, env: settings } = (await (await fetch(`${stack.baseUrl}/docs/a/b`)).json()) as {
      path: string;
      env: Record<string, string>;
    };
    expect(at).toBe('/docs/a/b');
    expect(settings).toMatchObject({ BASE_URL: stack.baseUrl, HOST: '127.0.0.1' });
    expect(settings).not.toHaveProperty('MONGO_DB');
    expect(settings).not.toHaveProperty('SERVICE_CLIENT_SECRET');
    await stack.stop();
    await noProcessesWith(echosvc.programs);
  });

  it('reports a port in use, and how to choose another one, before it starts anything', async () => {
    const port = await freePort();
    const other = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
    await once(other, 'listening');
    const stateDir = await tempDir();
    const { report, text } = keepLines();
    const start = startStack({ stateDir, port, report, env: shared, services: [echosvc] });
    await expect(start).rejects.toThrow(`Port ${port} is in use by another program. Choose another one: PORT=`);
    expect(text()).toBe('');
    other.close();

    const second = await startStack({ stateDir, port, report, env: shared, services: [echosvc] });
    expect(second.baseUrl).toBe(`http://127.0.0.1:${port}`);
    await second.stop();
  });

  it('fails with the last lines of a service that does not start, and leaves nothing behind', async () => {
    const stateDir = await tempDir();
    const start = startStack({ stateDir, report: silentReport, env: shared, services: [echosvc, brokensvc] });
    await expect(start).rejects.toThrow(/brokensvc did not start \(exit code 1\)[^]*brokensvc: MONGO_URL: is required/);
    await noProcessesWith(stateDir);
    await noProcessesWith(echosvc.programs);
  });

  it('leaves nothing behind when it is interrupted while services start, not even one that ignores SIGTERM', async () => {
    const stateDir = await tempDir();
    const interrupted = new AbortController();
    const port = await freePort();
    const options = { stateDir, port, env, services: [echosvc, silentsvc], report: silentReport };
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/echosvc`).then(
        ({ ok }) => ok,
        () => false,
      );
    void until('the first service', isReady, { timeoutMs: 30_000 }).then(() => interrupted.abort(new Error('Ctrl-C')));
    await expect(startStack({ ...options, signal: interrupted.signal })).rejects.toThrow('Ctrl-C');
    await noProcessesWith(stateDir);
    await noProcessesWith(silentsvc.programs);

    const next = await startStack({ ...options, services: [echosvc] });
    await next.stop();
  });
});
