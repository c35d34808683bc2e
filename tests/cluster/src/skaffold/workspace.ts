import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repoRoot } from '@dtplatform/stack';
import { runTool } from '../tools/run-tool.js';

/** A copy of the repository for Skaffold to watch, so that the test changes none of the developer's files. */
export interface Workspace {
  folder: string;
  /** Replaces text in a file. Resolves with the time of the change, in milliseconds. */
  change(file: string, from: string, to: string): Promise<number>;
  remove(): Promise<void>;
}

export async function copyRepository(context: { env: NodeJS.ProcessEnv; signal: AbortSignal }): Promise<Workspace> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dtplatform-skaffold-'));
  const list = ['-C', repoRoot, 'ls-files', '--cached', '--others', '--exclude-standard'];
  const files = (await runTool('git', list, context))
    .split('\n')
    .filter((file) => existsSync(path.join(repoRoot, file)));
  for (const file of files) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await cp(path.join(repoRoot, file), path.join(folder, file));
  }
  await symlink(path.join(repoRoot, 'node_modules'), path.join(folder, 'node_modules'));
  return {
    folder,
    async change(file, from, to) {
      const target = path.join(folder, file);
      const text = await readFile(target, 'utf8');
      if (!text.includes(from)) throw new Error(`${file} does not contain "${from}"`);
      await writeFile(target, text.replace(from, to));
      return performance.now();
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
