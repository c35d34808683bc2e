import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../../..');
const read = (...parts: string[]) => readFileSync(path.join(root, ...parts), 'utf8');
const services = readdirSync(path.join(root, 'services'));

const SECTIONS = [
  'Owns',
  'API',
  'Settings',
  'Events',
  'Queues and jobs',
  'Permissions',
  'Calls',
  'Health and metrics',
  'Alerts',
  'Runbook',
  'Tests',
];
const sectionsOf = (markdown: string) =>
  new Map(
    markdown.split(/^## /m).map((part) => {
      const [title = '', ...lines] = part.split('\n');
      return [title, lines.join('\n')];
    }),
  );
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found!);
const sourcesOf = (folder: string): string =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(folder, name))
    .join('\n');

/** The last matching line counts; the lines of this file are folders, so the last prefix does. */
function ownersOf(file: string): string[] {
  const lines = read('.github/CODEOWNERS')
    .split('\n')
    .filter((line) => line.startsWith('/'));
  const last = lines.map((line) => line.split(/\s+/)).findLast(([folder]) => `/${file}`.startsWith(folder!));
  return last?.slice(1) ?? [];
}

test('there are services', () => expect(services.length).toBeGreaterThan(0));

test('CODEOWNERS names only paths that exist', () => {
  const folders = matches(read('.github/CODEOWNERS'), /^(\/[\w/.-]+\/)\s/gm);
  expect(folders.filter((folder) => !existsSync(path.join(root, folder)))).toEqual([]);
});

test('the guide for operators names every alert of all services', () => {
  const alerts = matches(read('charts/platform-lib/shared/alerts.yaml'), /- alert: (\w+)/g);
  expect(alerts.length).toBeGreaterThan(0);
  const guide = read('docs/operations.md');
  expect(alerts.filter((name) => !guide.includes(`| \`${name}\` `))).toEqual([]);
});

describe.each(services)('%s', (service) => {
  const readme = sectionsOf(read('services', service, 'README.md'));
  const section = (title: string) => readme.get(title) ?? '';

  test('its code and its chart belong to its team', () => {
    expect(ownersOf(`services/${service}/src/main.ts`)).toEqual([`@dtplatform/${service}`]);
    expect(ownersOf(`charts/${service}/Chart.yaml`)).toEqual([`@dtplatform/${service}`]);
  });

  test('its README has the sections of all, in their order, none empty', () => {
    expect([...readme.keys()].slice(1)).toEqual(SECTIONS);
    expect(SECTIONS.filter((title) => section(title).trim() === '')).toEqual([]);
  });

  test('its README names every collection', async () => {
    const file = path.join(root, 'services', service, 'src/service.ts');
    const declared = (await import(file)) as { service: { schema: { models: { collection: string }[] } } };
    const { schema } = declared.service;
    const collections = schema.models.map(({ collection }) => collection);
    expect(collections.filter((name) => !section('Owns').includes(`\`${name}\``))).toEqual([]);
  });

  test('its README names every queue and message', () => {
    const catalogues = matches(sourcesOf(`services/${service}/src`), /defineCatalogue\(([^;]+)\);/g).join('\n');
    const names = matches(catalogues, /'([\w-]+\.[\w.-]+)'/g);
    expect(names.filter((name) => !section('Queues and jobs').includes(`\`${name}\``))).toEqual([]);
  });

  test('its README names every path prefix and every setting of its own', () => {
    const { paths } = JSON.parse(read('services', service, 'openapi.json')) as { paths: Record<string, unknown> };
    const prefixes = matches(section('API'), /`(\/[^`]+)`/g);
    expect(Object.keys(paths).filter((path) => !prefixes.some((prefix) => path.startsWith(prefix)))).toEqual([]);

    const settings = matches(read('services', service, 'src/config.ts'), /^ +([A-Z][A-Z\d_]+): /gm);
    const isNamed = (name: string) => section('Settings').includes(name.startsWith('BOOTSTRAP_') ? 'BOOTSTRAP_' : name);
    expect(settings.filter((name) => !isNamed(name))).toEqual([]);
  });

  test('its README names every alert of its chart', () => {
    const alerts = matches(read('charts', service, 'files/alerts.yaml'), /- alert: (\w+)/g);
    expect(alerts.length).toBeGreaterThan(0);
    expect(alerts.filter((name) => !section('Alerts').includes(`\`${name}\``))).toEqual([]);
  });

  test('its alerts are about operations that are there', () => {
    const known = matches(sourcesOf(`services/${service}/src`), /'([A-Za-z]+\.[\w-]+)'/g);
    const operations = matches(read('charts', service, 'files/alerts.yaml'), /operation(?:=~|=)"([^"]+)"/g);
    const isKnown = (pattern: string) => known.some((name) => new RegExp(`^(?:${pattern})$`).test(name));
    expect(operations.flatMap((pattern) => pattern.split('|')).filter((one) => !isKnown(one))).toEqual([]);
  });
});
