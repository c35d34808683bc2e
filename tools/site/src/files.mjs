import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));
/** This package. */
export const here = join(root, 'tools/site');
/** What VitePress reads: copies of the repository's pages, and generated ones. */
export const staged = join(here, '.pages');
export const dist = join(here, 'dist');

/** The files below a folder, as paths relative to it. */
export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
