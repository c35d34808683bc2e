/** Copies the built programs and the API descriptions of the workspaces in SOURCE. Usage: copy-programs.mjs SOURCE TARGET */
import { cpSync, existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [source, target] = process.argv.slice(2);
for (const manifest of globSync('{libs,services,tools}/*/package.json', { cwd: source })) {
  for (const name of ['dist', 'openapi.json', 'asyncapi.json', 'reference']) {
    const part = join(dirname(manifest), name);
    if (existsSync(part)) cpSync(part, join(target, part), { recursive: true });
  }
}
