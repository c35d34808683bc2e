/** Copies the built programs and the API descriptions of the workspaces in SOURCE. Usage: copy-programs.mjs SOURCE TARGET */
import { cpSync, existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Of services, as far as they have them. */
const DESCRIPTIONS = ['openapi.json', 'asyncapi.json', 'reference'];

const [source, target] = process.argv.slice(2);
for (const manifest of globSync('{libs,services,tools}/*/package.json', { cwd: source })) {
  const workspace = dirname(manifest);
  copy(join(workspace, 'dist'));
  for (const part of DESCRIPTIONS.map((name) => join(workspace, name))) if (existsSync(part)) copy(part);
}

function copy(part) {
  cpSync(part, join(target, part), { recursive: true });
}
