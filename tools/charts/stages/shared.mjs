import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../run.mjs';

/** What a library chart writes into others, by its `shared/write.mjs`. */
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
