import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { missingPrograms } from '../src/skaffold/missing-programs.js';
import { readSkaffoldOptions, type SkaffoldOptions } from '../src/skaffold/options.js';

describe('requirements of the Skaffold test', () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'dtplatform-programs-'))));
  afterEach(() => rm(folder, { recursive: true }));

  /** Checks a machine that has only these programs; each runs a line of shell. */
  const missing = async (argv: string[], programs: Record<string, string>) => {
    for (const [name, line] of Object.entries(programs)) {
      await writeFile(path.join(folder, name), `#!/bin/sh\n${line}\n`);
      await chmod(path.join(folder, name), 0o755);
    }
    const { signal } = new AbortController();
    return missingPrograms(readSkaffoldOptions(argv) as SkaffoldOptions, { env: { PATH: folder }, signal });
  };

  it('are listed line by line', async () => {
    expect(await missing(['--local'], {})).toEqual([
      'skaffold: put it on the PATH, or name it in SKAFFOLD',
      'buildah: put it on the PATH',
      'helm: put Go on the PATH, with which it is built, or name it in HELM',
      'registry: pass --default-repo, or put the program on the PATH',
      'debootstrap: put it on the PATH, for --local',
      'kubectl: put it on the PATH',
    ]);
  });

  const all = { skaffold: '', buildah: '', go: '', kubectl: '' };

  it('include a cluster that responds', async () => {
    expect(await missing(['--default-repo', 'registry.example.com'], { ...all, kubectl: 'exit 1' })).toEqual([
      'a cluster: kubectl get nodes fails with the current context',
    ]);
  });

  it('include nothing else', async () => {
    expect(await missing(['--default-repo', 'registry.example.com'], all)).toEqual([]);
  });
});
