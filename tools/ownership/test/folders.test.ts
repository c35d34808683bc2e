import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../../..');
const foldersOf = (folder: string) =>
  readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** What several resources of a service share, or what has no URL. Its folders are named after the subject. */
const SUBJECTS: Record<string, string[]> = {
  datasourcesvc: ['namespaces'],
  filesvc: ['namespaces', 'orphans', 'trees', 'usage'],
  graphicssvc: ['namespaces'],
  itemsvc: ['namespaces', 'query', 'usage'],
  metricsvc: ['namespaces'],
  passportsvc: ['administration', 'bootstrap', 'deletions', 'keys', 'mail', 'namespaces'],
};

test.each(foldersOf('services'))('%s has the same names below api/, domain/ and store/', (service) => {
  const [api, domain, store] = ['api', 'domain', 'store'].map((part) => foldersOf(`services/${service}/src/${part}`));
  const withoutUrl = new Set([...domain!, ...store!].filter((name) => !api!.includes(name)));
  expect([...withoutUrl].sort()).toEqual(SUBJECTS[service] ?? []);
});
