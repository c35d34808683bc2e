import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { repositoryFile } from './repository.js';
import type { Desk } from './run-snippets.js';

const COMPILER = repositoryFile('node_modules/typescript/lib/tsc.js');
const OPTIONS = '--noEmit --strict --module nodenext --target es2023 --lib es2023,dom --types node --skipLibCheck';

/**
 * Type-checks programs as for a user who has installed the SDK.
 * @param globals declarations for the programs
 * @returns the errors of the compiler
 */
export async function typeErrorsOf(desk: Desk, programs: string[], globals = ''): Promise<string> {
  const files = programs.map((_, index) => `snippet-${index}.mts`);
  await Promise.all(files.map((file, index) => writeFile(desk.file(file), programs[index]!)));
  await writeFile(desk.file('globals.d.ts'), globals);
  const args = [COMPILER, ...OPTIONS.split(' '), 'globals.d.ts', ...files];
  return new Promise((resolve) =>
    execFile(process.execPath, args, { cwd: desk.folder }, (_, stdout, stderr) => resolve(stdout + stderr)),
  );
}
