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
  } finally {
    await backends.stop();
  }
}, 120_000);
