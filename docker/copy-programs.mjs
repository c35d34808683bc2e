/** Copies the built programs and the API descriptions of the workspaces in SOURCE. Usage: copy-programs.mjs SOURCE TARGET */
import { cpSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { programFiles } from './program-files.mjs';

const [source, target] = process.argv.slice(2);
for (const manifest of globSync('{libs,packages,services,tools}/*/package.json', { cwd: source }))
  for (const part of programFiles(dirname(manifest))) cpSync(part, join(target, part), { recursive: true });
