import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readOptions, type Options } from '../src/options.js';
import { checkPrograms } from '../src/preflight.js';

const { signal } = new AbortController();

describe('preflight of the cluster test', () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'dtplatform-preflight-'))));
  afterEach(() => rm(folder, { recursive: true }));

  /** Puts programs on the PATH of an otherwise empty machine; each runs a line of shell. */
  const check = async (argv: string[], programs: Record<string, string>, more: NodeJS.ProcessEnv = {}) => {
    for (const [name, line] of Object.entries(programs)) {
      await writeFile(path.join(folder, name), `#!/bin/sh\n${line}\n`);
      await chmod(path.join(folder, name), 0o755);
    }
    await checkPrograms(readOptions(argv) as Options, {
      env: { PATH: folder, XDG_CACHE_HOME: folder, ...more },
      signal,
    });
  };

  it('lists everything that is missing', async () => {
    await expect(check(['--load', 'kind load image-archive'], {})).rejects.toThrow(
      [
        'programs are missing on this machine:',
        '  - kubectl: put it on the PATH',
        '  - helm: put Go 1.26 or newer on the PATH, with which it is built, or set HELM to a Helm 3 program',
        '  - image builder: start Docker, or put buildah on the PATH',
        '  - kind: put it on the PATH, for --load',
      ].join('\n'),
    );
  });

  it('lists only what is missing', async () => {
    const error = await check(['--push'], { kubectl: '', docker: '' }).catch((reason: unknown) => reason);
    expect((error as Error).message.match(/^ {2}- \w+/gm)).toEqual(['  - helm']);
  });

  it('needs an engine that runs, not only the docker program', async () => {
    await expect(check(['--push'], { kubectl: '', go: '', docker: 'exit 1' })).rejects.toThrow(
      '  - image builder: start Docker, or put buildah on the PATH',
    );
  });

  it('reports that the chosen builder does not work', async () => {
    const env = { IMAGE_BUILDER: 'docker' };
    await expect(check(['--push'], { kubectl: '', go: '', docker: 'echo no engine; exit 1' }, env)).rejects.toThrow(
      /- image builder: the Docker engine does not respond: .*\s+no engine/,
    );
  });

  it('needs buildah for local images, even if Docker works', async () => {
    await expect(check(['--push', '--local'], { kubectl: '', go: '', docker: '' })).rejects.toThrow(
      '  - image builder: put buildah on the PATH, which --local needs',
    );
  });

  it('needs debootstrap for local images until the base images are built', async () => {
    await expect(check(['--push', '--local'], { kubectl: '', go: '', buildah: 'exit 1' })).rejects.toThrow(
      '  - debootstrap: put it on the PATH, for the base images',
    );
    await check(['--push', '--local'], { kubectl: '', go: '', buildah: '' });
  });

  it('needs no image builder if the cluster has the images', async () => {
    await check(['--skip-images'], { kubectl: '', go: '' });
  });

  it('accepts another Helm in place of Go, if it exists', async () => {
    await check(['--push'], { kubectl: '', docker: '', helm4: '' }, { HELM: 'helm4' });
    await check(['--push'], {}, { HELM: path.join(folder, 'helm4') });
    await expect(check(['--push'], {}, { HELM: '/no/helm' })).rejects.toThrow(
      '  - helm: HELM is "/no/helm", which is not a program',
    );
  });

  it('passes with everything in place', async () => {
    await check(['--load', 'kind load image-archive'], { kubectl: '', go: '', docker: '', kind: '' });
  });
});
