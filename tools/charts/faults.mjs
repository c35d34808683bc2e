import { run } from '../programs/run.mjs';

const tests = new URL('./test/faults.test.mjs', import.meta.url).pathname;

export async function faults() {
  const { code, output } = await run([process.execPath, '--test', '--test-reporter=tap', tests]);
  return [{ name: 'faults', problem: code === 0 ? undefined : output }];
}
