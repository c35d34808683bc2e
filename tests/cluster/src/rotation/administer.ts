import type { Kubectl } from '../tools/kubectl.js';

/** Runs a command of the administration program, and resolves with its result. */
export async function administer<T>(kubectl: Kubectl, ...command: string[]): Promise<T> {
  const program = ['node', 'dist/admin.js', ...command, '--json'];
  const output = await kubectl.run('exec', 'deployment/passportsvc', '--', ...program);
  const result = output.split('\n').find((line) => line.startsWith('{') && !line.includes('"audit"'));
  if (result === undefined) throw new Error(`admin.js ${command[0]} printed no result: ${output}`);
  return JSON.parse(result) as T;
}
