import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programFiles } from '../../docker/program-files.mjs';

const SCOPE = '@dtplatform/';

const folderOf = (root, name) =>
  ['libs', 'packages', 'tools'].map((parent) => join(parent, name)).find((folder) => existsSync(join(root, folder)));

/** The program files of a service and of all packages of the repository that it uses, directly or through others. */
export function programsOf(service, root = '.') {
  const folders = new Set([join('services', service)]);
  // A set also visits what is added meanwhile.
  for (const folder of folders) {
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    for (const name of Object.keys(dependencies))
      if (name.startsWith(SCOPE)) folders.add(folderOf(root, name.slice(SCOPE.length)));
  }
  return [...folders].flatMap((folder) => programFiles(folder, root));
}
