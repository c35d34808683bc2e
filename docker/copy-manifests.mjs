/** Copies the files that `npm ci` reads: its settings, the lock file and all manifests. Usage: copy-manifests.mjs TARGET */
import { cpSync, globSync } from 'node:fs';
import { join } from 'node:path';

const [target] = process.argv.slice(2);
const patterns = [
  '.npmrc',
  'package.json',
  'package-lock.json',
  '{examples,libs,packages,services,tools,tests}/*/package.json',
];
for (const file of globSync(patterns)) cpSync(file, join(target, file));
