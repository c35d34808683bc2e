import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../../..');
const foldersOf = (folder: string) =>
  readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** Folders of what several resources share or what has no URL. */
const SUBJECTS: Record<string, string[]> = {
  filesvc: ['events', 'orphans', 'trees', 'uploads'],
  graphicssvc: ['stream'],
  itemsvc: ['query'],
  passportsvc: [
    'admin',
    'administration',
    'bootstrap',
    'deletions',
    'discovery',
    'keys',
    'namespaces',
    'queries',
    'requests',
    'themes',
  ],
};
const MODULES = ['directory', 'groups', 'oauth', 'pages', 'scim'];

test.each(foldersOf('services'))('each folder of %s is named after a segment of a URL or a subject', (service) => {
  const { paths } = JSON.parse(readFileSync(path.join(root, 'services', service, 'openapi.json'), 'utf8')) as {
    paths: object;
  };
  const segments = new Set(Object.keys(paths).flatMap((url) => url.split(/[/;]/)));
  const source = `services/${service}/src`;
  const folders = foldersOf(source).flatMap((name) =>
    MODULES.includes(name) ? foldersOf(`${source}/${name}`) : [name],
  );
  expect(folders.filter((name) => !segments.has(name)).sort()).toEqual(SUBJECTS[service] ?? []);
});

test.each(foldersOf('services'))('the module and the route table of a folder of %s have its name', (service) => {
  const files = readdirSync(path.join(root, 'services', service, 'src'), { recursive: true, encoding: 'utf8' });
  const namedAs = (suffix: string) =>
    new Set(files.filter((file) => file.endsWith(suffix)).map((file) => path.basename(file, suffix)));
  const holding = (suffix: string) =>
    new Set(files.filter((file) => file.endsWith(suffix)).map((file) => path.basename(path.dirname(file))));
  for (const suffix of ['.module.ts', '.routes.ts']) {
    const names = namedAs(suffix);
    const without = [...holding(suffix)].filter((folder) => !names.has(folder.replaceAll('_', '-')));
    expect(without).toEqual([]);
  }
});
