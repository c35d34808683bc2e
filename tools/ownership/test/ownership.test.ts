import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../../..');
const read = (...parts: string[]) => readFileSync(path.join(root, ...parts), 'utf8');
const services = readdirSync(path.join(root, 'services'));

const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found!);
const sourcesOf = (folder: string): string =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(folder, name))
    .join('\n');

/** The last matching line counts. CODEOWNERS lists only folders, so that is the last prefix. */
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

describe.each(services)('%s', (service) => {
  test('its code and its chart belong to its team', () => {
    expect(ownersOf(`services/${service}/src/main.ts`)).toEqual([`@dtplatform/${service}`]);
    expect(ownersOf(`charts/${service}/Chart.yaml`)).toEqual([`@dtplatform/${service}`]);
  });

  test('its alerts name only operations that exist', () => {
    const known = matches(sourcesOf(`services/${service}/src`), /'([A-Za-z]+\.[\w-]+)'/g);
    const operations = matches(read('charts', service, 'files/alerts.yaml'), /operation(?:=~|=)"([^"]+)"/g);
    const isKnown = (pattern: string) => known.some((name) => new RegExp(`^(?:${pattern})$`).test(name));
    expect(operations.flatMap((pattern) => pattern.split('|')).filter((one) => !isKnown(one))).toEqual([]);
  });
});
