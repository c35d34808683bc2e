import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programFiles } from '../../docker/program-files.mjs';

const SCOPE = '@dtplatform/';

/** The folder of a package of this repository, by its name without the scope. */
export const folderOf = (name, root = '.') =>
  ['services', 'libs', 'packages', 'tools']
    .map((parent) => join(parent, name))
    .find((folder) => existsSync(join(root, folder)));

/** Compiled files of an image and of all packages of this repository that it depends on. */
export function programsOf(image, root = '.') {
  const folders = new Set([folderOf(image, root)]);
  // A set also visits entries added during the loop.
  for (const folder of folders) {
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    for (const name of Object.keys(dependencies))
      if (name.startsWith(SCOPE)) folders.add(folderOf(name.slice(SCOPE.length), root));
  }
  return [...folders].flatMap((folder) => programFiles(folder, root));
}
