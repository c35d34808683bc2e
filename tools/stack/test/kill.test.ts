import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { silentReport, startBackends } from '../src/index.js';
import { withoutBackends } from './fixtures/own-backends.js';
import { noProcessesWith, processesWith } from './fixtures/processes.js';
import { tempDir } from './fixtures/temp-dir.js';

const program = fileURLToPath(new URL('fixtures/start-and-wait.js', import.meta.url));

/** Starts the backends in another process and kills it without a chance to clean up. */
async function startAndKill(dataDir: string): Promise<void> {
  const child = spawn(process.execPath, [program, dataDir], { env: withoutBackends({ NODE_OPTIONS: '' }) });
  await once(child.stdout, 'data');
  expect(processesWith(dataDir).length).toBeGreaterThan(3);
  child.kill('SIGKILL');
  await once(child, 'exit');
}

it('leaves no process behind when it is killed without a chance to stop them', async () => {
  const dataDir = await tempDir();
  await startAndKill(dataDir);
  await noProcessesWith(dataDir, 30_000);
});

it('starts at once on the state of a killed process', async () => {
  const dataDir = await tempDir();
  await startAndKill(dataDir);
  const backends = await startBackends({ dataDir, report: silentReport, env: withoutBackends() });
  await backends.stop();
  await noProcessesWith(dataDir, 30_000);
});
