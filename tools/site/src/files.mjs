import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
export const here = join(root, 'tools/site');
/** VitePress reads copies of the repository's pages and generated pages from here. */
export const staged = join(here, '.pages');
/** Served at `/docs`. */
export const dist = join(here, 'dist/pages');
/** The API descriptions of the whole platform. */
export const reference = join(root, 'tools/openapi/dist/reference');
/** A copy of them, which the server publishes at the root. */
export const publishedReference = join(here, 'dist/reference');

/** Where other addresses below `/docs` lead to. */
export const publishedRedirects = join(here, 'dist/redirects.json');

/** The archives of the client packages, which the server publishes at `/packages`. */
export const publishedPackages = join(here, 'dist/packages');

/** A copy of the web console, which the server publishes at `/console`. */
export const publishedConsole = join(here, 'dist/console');

/** Paths relative to the folder. */
export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
