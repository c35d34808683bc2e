import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface SiteFile {
  file: string;
  contentType: string;
  bytes: number;
  compressed?: { file: string; bytes: number };
}

export type SiteFiles = ReadonlyMap<string, SiteFile>;

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/gzip',
  '.whl': 'application/zip',
};

/**
 * Finds the files of a folder. The URL path of an `index.html` ends with a slash; other pages have no `.html`.
 * @throws for a file of an unknown type
 */
export function findSiteFiles(folder: URL, base: string): SiteFiles {
  const root = fileURLToPath(folder);
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => path.extname(name) !== '');
  const compressed = new Set(names.filter((name) => name.endsWith('.gz')));
  return new Map(
    names
      .filter((name) => !compressed.has(name))
      .map((name) => [urlPath(name, base), siteFile(root, name, compressed.has(`${name}.gz`))]),
  );
}

function urlPath(name: string, base: string): string {
  const url = `${base}/${name.split(path.sep).join('/')}`;
  return url.replace(/\/index\.html$/, '/').replace(/\.html$/, '');
}

function siteFile(root: string, name: string, isCompressed: boolean): SiteFile {
  const file = path.join(root, name);
  const contentType = TYPES[path.extname(name)];
  if (contentType === undefined) throw new Error(`The documentation has a file of an unknown type: ${name}`);
  const sized = (each: string) => ({ file: each, bytes: statSync(each).size });
  return { ...sized(file), contentType, ...(isCompressed ? { compressed: sized(`${file}.gz`) } : {}) };
}
