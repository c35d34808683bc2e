/** Which pages of the repository the site contains, and where. */
import { readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { filesBelow, root } from './files.mjs';

/** Paths on the site by paths in the repository, of pages and their pictures. */
export const sitePaths = new Map([
  ['README.md', 'overview.md'],
  ['CHANGELOG.md', 'changelog.md'],
  ['CONTRIBUTING.md', 'contributing.md'],
  ['charts/README.md', 'charts/index.md'],
  ...readdirSync(join(root, 'services')).map((name) => [`services/${name}/README.md`, `services/${name}.md`]),
  ...readmesOf('packages').map((name) => [`packages/${name}/README.md`, `packages/${name}.md`]),
  ...readmesOf('charts').map((name) => [`charts/${name}/README.md`, `charts/${name}.md`]),
  ...filesBelow(join(root, 'docs')).map((file) => [`docs/${file}`, file.replace(/(^|\/)README\.md$/, '$1index.md')]),
]);

/** The inverse; generated pages have no source. */
export const sources = new Map([...sitePaths].map(([source, page]) => [page, source]));

/**
 * @param source the page in the repository
 * @param link relative, without an anchor
 * @returns the path on the site, or undefined for a file that only the repository contains
 * @throws when the page does not exist
 */
export function resolveLink(source, link) {
  const target = normalize(join(dirname(source), link)).replace(/\/$/, '');
  const page = sitePaths.get(target) ?? sitePaths.get(`${target}/README.md`);
  if (!page && target.endsWith('.md')) throw new Error(`${source} links to ${link}, which the site does not have`);
  return page;
}

function readmesOf(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && readdirSync(join(root, folder, entry.name)).includes('README.md'))
    .map((entry) => entry.name);
}
