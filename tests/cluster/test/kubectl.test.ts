import { describe, expect, it } from '@jest/globals';
import { createKubectl } from '../src/tools/kubectl.js';
import { machineWith } from './machine.js';

describe('whether a cluster serves a resource', () => {
  /** Uses a fake kubectl that rejects options `kubectl get` lacks, then runs `ends`. */
  const serves = async (ends: string) => {
    const options = `for option in "$@"; do case $option in --namespace | --ignore-not-found | --output=*) ;;
      --*) echo "error: unknown flag: $option" >&2; exit 1 ;; esac; done`;
    const folder = await machineWith({ kubectl: `${options}\n${ends}` });
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    return createKubectl('twins', { env }).serves('scaledobjects.keda.sh');
  };
  const fails = (message: string) => `echo "error: ${message}" >&2; exit 1`;

  it('is true when it can be listed, even if there is none', async () => expect(await serves('exit 0')).toBe(true));

  it('is false when there is no such resource', async () => {
    expect(await serves(fails("the server doesn't have a resource type 'scaledobjects'"))).toBe(false);
  });

  it('throws when the server fails, so that nothing is skipped', async () => {
    const failing = serves(fails('the server is currently unable to handle the request'));
    await expect(failing).rejects.toThrow('unable to handle the request');
  });
});
