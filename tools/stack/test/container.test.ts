import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { mongo } from '../src/backends/mongo.js';
import { acquire } from '../src/backends/sources/acquire.js';
import { silentReport } from '../src/index.js';
import { tempDir } from './fixtures/temp-dir.js';

const engine = fileURLToPath(new URL('fixtures/engine', import.meta.url));

async function containerOf(image: string, more: NodeJS.ProcessEnv = {}) {
  const dataDir = await tempDir();
  const asked = path.join(dataDir, 'asked');
  const env = { PATH: engine, HOME: dataDir, ASKED: asked, ...more };
  const context = { report: silentReport, env, signal: new AbortController().signal };
  // The package that wrote the data cannot be downloaded again.
  return { launcher: acquire({ ...mongo, image }, 'package', context), asked: () => readFile(asked, 'utf8') };
}

describe('a backend in a container', () => {
  it('listens on this machine only, and keeps its data in the state folder, owned by the user', async () => {
    const launcher = await (await containerOf('here:1')).launcher;
    const { command, args } = launcher.command({ port: 20_001, dir: '/state/mongo' });
    const line = [command, ...args].join(' ');
    expect(line).toMatch(/^.*\/docker run --rm --name dtplatform-\w+ /);
    expect(line).toContain(
      ` --user ${process.getuid!()}:${process.getgid!()} -p 127.0.0.1:20001:20001 -v /state/mongo:/data `,
    );
    expect(line).toMatch(/ --entrypoint mongod here:1 .*--bind_ip 0\.0\.0\.0 --port 20001 --dbpath \/data/);
  });

  it('is paused and removed by its name, which is the same in each start on the same data', async () => {
    const { launcher, asked } = await containerOf('here:1');
    const { command, cleanUp, pause } = await launcher;
    const name = (dir: string) => command({ port: 1, dir }).args[3];
    expect(name('/state/mongo')).toBe(name('/state/mongo'));
    expect(name('/other/mongo')).not.toBe(name('/state/mongo'));
    await pause!('/state/mongo', true);
    await pause!('/state/mongo', false);
    await cleanUp!('/state/mongo');
    const used = name('/state/mongo');
    expect(await asked()).toContain(`\npause ${used}\nunpause ${used}\nrm -f ${used}\n`);
  });

  it('is created from an image that is pulled if it is missing', async () => {
    const { launcher, asked } = await containerOf('remote:1');
    expect((await launcher).description).toBe('docker image remote:1');
    expect(await asked()).toContain('pull remote:1');
  });

  it.each([
    ['no image can be had', 'none:1', {}, 'docker: no such image'],
    ['the engine does not answer', 'here:1', { ENGINE_DOWN: '1' }, 'docker: Cannot connect to the Docker daemon'],
  ])('is not used when %s', async (_why, image, env, reason) => {
    const { launcher } = await containerOf(image, env);
    await expect(launcher).rejects.toThrow(reason);
  });
});
