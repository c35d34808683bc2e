import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readOptions, type Options } from '../src/options.js';
import { checkPrograms } from '../src/preflight.js';
import { missingPrograms } from '../src/skaffold/missing-programs.js';
import { readSkaffoldOptions, type SkaffoldOptions } from '../src/skaffold/options.js';
import { machineWith } from './machine.js';

const { signal } = new AbortController();

describe('preflight of the cluster test', () => {
  const check = async (argv: string[], programs: Record<string, string>, more: NodeJS.ProcessEnv = {}) => {
    const folder = await machineWith(programs);
    const env = { PATH: folder, XDG_CACHE_HOME: folder, ...more };
    return checkPrograms(readOptions(argv, []) as Options, { env, signal });
  };
  const [kubectl, go, docker] = ['', '', ''];
  const LOAD = ['--load', 'kind load image-archive'];
  const LOCAL = ['--push', '--local'];

  it('lists everything that is missing', async () => {
    await expect(check(LOAD, {})).rejects.toThrow(
      [
        'programs are missing on this machine:',
        '  - kubectl: put it on the PATH',
        '  - helm: put Go 1.26 or newer on the PATH, with which it is built, or set HELM to a Helm 3 program',
        '  - image builder: start Docker, or put buildah on the PATH',
        '  - kind: put it on the PATH, for --load',
      ].join('\n'),
    );
  });

  it('accepts what suffices', async () => {
    await check(LOAD, { kubectl, go, docker, kind: '' });
    await check(LOCAL, { kubectl, go, buildah: '' });
    await check(['--skip-images'], { kubectl, go });
    await check(['--push'], { kubectl, docker, helm4: '' }, { HELM: 'helm4' });
    const helm = path.join(await machineWith({ helm4: '' }), 'helm4');
    await check(['--push'], { kubectl, docker }, { HELM: helm });
  });
});

it('preflight of the Skaffold test lists each missing program, and a cluster that does not respond', async () => {
  const missing = async (argv: string[], programs: Record<string, string>) =>
    missingPrograms(readSkaffoldOptions(argv) as SkaffoldOptions, {
      env: { PATH: await machineWith(programs) },
      signal,
    });
  expect(await missing(['--local'], {})).toEqual([
    'skaffold: put it on the PATH, or name it in SKAFFOLD',
    'buildah: put it on the PATH',
    'helm: put Go on the PATH, with which it is built, or name it in HELM',
    'registry: pass --default-repo, or put the program on the PATH',
    'debootstrap: put it on the PATH, for --local',
    'kubectl: put it on the PATH',
  ]);
  const remote = ['--default-repo', 'registry.example.com'];
  const all = { skaffold: '', buildah: '', go: '', kubectl: '' };
  expect(await missing(remote, { ...all, kubectl: 'exit 1' })).toEqual([
    'a cluster: kubectl get nodes fails with the current context',
  ]);
  expect(await missing(remote, all)).toEqual([]);
});
