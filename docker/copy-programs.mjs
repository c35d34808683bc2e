/** Copies the built programs of the workspaces in SOURCE. Usage: copy-programs.mjs SOURCE TARGET */
import { cpSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [source, target] = process.argv.slice(2);
for (const manifest of globSync('{libs,services,tools}/*/package.json', { cwd: source })) {
  const programs = join(dirname(manifest), 'dist');
  cpSync(programs, join(target, programs), { recursive: true });
}
