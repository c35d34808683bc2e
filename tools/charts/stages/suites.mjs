import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Runs the helm-unittest suites of each application chart. Each test counts as one check. */
export async function suites({ charts, go }) {
  const { helmUnittest } = await go();
  const results = [];
  for (const { name, dir, isLibrary } of charts) {
    if (isLibrary) continue;
    if (!existsSync(join(dir, 'tests'))) {
      results.push({ name, problem: 'it has no tests/' });
      continue;
    }
    const { code, output } = await helmUnittest('--strict', '--with-subchart=false', dir);
    results.push(...resultsOf(name, code, output));
  }
  return results;
}

function resultsOf(name, code, output) {
  const [, failed = '0', passed = '0'] =
    /^Tests:\s+(?:(\d+) failed, )?(?:\d+ errored, )?(\d+) passed/m.exec(output) ?? [];
  const good = Array(Number(passed)).fill({ name });
  if (code === 0 && good.length > 0) return good;
  // helm-unittest does not count tests that it cannot parse as failed.
  const more = Array(Math.max(0, Number(failed) - 1)).fill({ name, problem: '' });
  return [...good, { name, problem: output }, ...more];
}
