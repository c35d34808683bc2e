import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../programs/run.mjs';

/** Runs `shared/write.mjs` of a library chart, which writes the files that charts share. */
export async function shared({ charts, write }) {
  const results = [];
  for (const { name, dir } of charts) {
    const program = join(dir, 'shared', 'write.mjs');
    if (!existsSync(program)) continue;
    const { code, output } = await run([process.execPath, program, ...(write ? [] : ['--check'])]);
    results.push({ name, problem: code === 0 ? undefined : output });
  }
  return results;
}
