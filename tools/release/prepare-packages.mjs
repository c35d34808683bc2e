/**
 * Prepares the client packages for a registry: it names the repository in their manifests and makes the links of their
 * READMEs absolute. Usage: prepare-packages.mjs URL
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, normalize } from 'node:path';

const FOLDERS = ['packages/sdk', 'packages/cli'];
const root = join(import.meta.dirname, '../..');
const [, , repository] = process.argv;
if (!URL.canParse(repository)) throw new Error('pass the URL of the repository');

for (const folder of FOLDERS) {
  change(join(root, folder, 'package.json'), (text) =>
    JSON.stringify({ ...JSON.parse(text), ...about(folder) }, null, 2),
  );
  change(join(root, folder, 'README.md'), (text) =>
    text.replace(/\]\((\.[^)]*)\)/g, (_, link) => `](${absolute(folder, link)})`),
  );
}

function about(directory) {
  return {
    repository: { type: 'git', url: `git+${repository}.git`, directory },
    homepage: `${repository}/tree/main/${directory}#readme`,
    bugs: `${repository}/issues`,
  };
}

function absolute(folder, link) {
  return `${repository}/blob/main/${normalize(join(folder, link))}`;
}

function change(file, edit) {
  writeFileSync(file, edit(readFileSync(file, 'utf8')));
}
