import { expect, it } from '@jest/globals';
import { silentReport, startBackends } from '../src/index.js';
import { readEverywhere, writeEverywhere } from './fixtures/keep-value.js';
import { withoutBackends } from './fixtures/own-backends.js';
import { tempDir } from './fixtures/temp-dir.js';

it('stops one backend and restarts it on the same port with its data', async () => {
  const backends = await startBackends({ dataDir: await tempDir(), report: silentReport, env: withoutBackends() });
  try {
    await writeEverywhere(backends, 'kept');
    const kept = await readEverywhere(backends);
    const restart = await backends.interrupt('s3');
    await expect(fetch(backends.s3.endpoint)).rejects.toThrow('fetch failed');
    await restart();
    for (const name of ['mongo', 'redis'] as const) await (await backends.interrupt(name))();
    expect(await readEverywhere(backends)).toEqual(kept);
    for (const name of ['mongo', 'redis', 's3'] as const) await (await backends.interrupt(name, 'kill'))();
    expect(await readEverywhere(backends)).toEqual(kept);
  } finally {
    await backends.stop();
  }
}, 120_000);

it('suspends one backend until it may continue', async () => {
  const backends = await startBackends({ dataDir: await tempDir(), report: silentReport, env: withoutBackends() });
  const ask = (timeoutMs: number) => fetch(backends.s3.endpoint, { signal: AbortSignal.timeout(timeoutMs) });
  try {
    const proceed = await backends.freeze('s3');
    await expect(ask(500)).rejects.toThrow('timeout');
    await proceed();
    await ask(60_000);
  } finally {
    await backends.stop();
  }
}, 120_000);
