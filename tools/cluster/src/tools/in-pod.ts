import type { Kubectl } from './kubectl.js';

/**
 * Runs a program (an ES module) in a pod of a service, whose image has Node.js and the clients of the backends, and whose
 * secrets are files. Resolves with what it prints as JSON. `input` is JSON, too; the program finds it in `input`.
 */
export async function runInPod<T>(kubectl: Kubectl, target: string, program: string, input: unknown = {}): Promise<T> {
  const source = `const input = ${JSON.stringify(input)};\n${program}`;
  const output = await kubectl.run('exec', target, '--', 'node', '--input-type=module', '--eval', source);
  return JSON.parse(output.trim().split('\n').at(-1)!) as T;
}
