import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createKubectl } from '../src/tools/kubectl.js';

describe('whether a cluster serves a resource', () => {
  let folder: string;
  afterEach(() => rm(folder, { recursive: true }));

  /** A kubectl that knows only the options of `kubectl get`, and then ends as given. */
  const kubectlThat = async (ends: string) => {
    folder = await mkdtemp(path.join(tmpdir(), 'kubectl-'));
    const program = path.join(folder, 'kubectl');
    const options = `for option in "$@"; do case $option in --namespace | --ignore-not-found | --output=*) ;;
      --*) echo "error: unknown flag: $option" >&2; exit 1 ;; esac; done`;
    await writeFile(program, `#!/bin/sh\n${options}\n${ends}\n`);
    await chmod(program, 0o755);
    return createKubectl('twins', { env: { ...process.env, PATH: `${folder}:${process.env.PATH}` } });
  };
  const fails = (message: string) => `echo 'error: ${message}' >&2; exit 1`;

  it('is true when it can be listed, even if there is none', async () => {
    const kubectl = await kubectlThat('exit 0');
    expect(await kubectl.serves('scaledobjects.keda.sh')).toBe(true);
  });

  it('is false when there is no such resource', async () => {
    const kubectl = await kubectlThat(
      `echo "error: the server doesn't have a resource type 'scaledobjects'" >&2; exit 1`,
    );
    expect(await kubectl.serves('scaledobjects.keda.sh')).toBe(false);
  });

  it('throws when the server fails: nothing may be skipped for that', async () => {
    const kubectl = await kubectlThat(fails('the server is currently unable to handle the request'));
    await expect(kubectl.serves('pods.metrics.k8s.io')).rejects.toThrow('unable to handle the request');
  });
});
