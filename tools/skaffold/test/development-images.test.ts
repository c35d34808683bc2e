import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

const repository = path.resolve(import.meta.dirname, '../../..');
const program = path.join(repository, 'tools/skaffold/programs.mjs');
const { programsOf } = (await import(program)) as { programsOf: (service: string, root?: string) => string[] };

describe('the compiled code in a development image', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(path.join(tmpdir(), 'dtplatform-programs-'));
    const write = (folder: string, manifest: object) => {
      mkdirSync(path.join(root, folder), { recursive: true });
      writeFileSync(path.join(root, folder, 'package.json'), JSON.stringify(manifest));
    };
    const testing = { '@dtplatform/testing': '0.1.0' };
    write('services/filesvc', {
      dependencies: { '@dtplatform/http': '0.1.0', sharp: '1.0.0' },
      devDependencies: testing,
    });
    write('libs/http', { dependencies: { '@dtplatform/errors': '0.1.0' }, devDependencies: testing });
    write('libs/errors', { dependencies: { '@dtplatform/http': '0.1.0' } });
    writeFileSync(path.join(root, 'services/filesvc/openapi.json'), '{}');
    write('tools/site', { dependencies: { '@dtplatform/errors': '0.1.0' } });
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it('contains the service, its API description and the libraries it uses, without test-only ones', () => {
    expect(programsOf('filesvc', root)).toEqual([
      ...['services/filesvc/dist', 'services/filesvc/openapi.json'],
      ...['libs/http/dist', 'libs/errors/dist'],
    ]);
  });

  it('contains the documentation site and the libraries it uses', () => {
    expect(programsOf('site', root)).toEqual(['tools/site/dist', 'libs/errors/dist', 'libs/http/dist']);
  });
});

interface Artifact {
  image: string;
  custom: { buildCommand: string; dependencies: { paths: string[] } };
}

describe('the profile buildah of skaffold.yaml', () => {
  const services = readdirSync(path.join(repository, 'services')).sort();
  const { profiles } = parse(readFileSync(path.join(repository, 'skaffold.yaml'), 'utf8')) as {
    profiles: { name: string; build: { artifacts: Artifact[] } }[];
  };
  const { artifacts } = profiles.find(({ name }) => name === 'buildah')!.build;

  it('builds the packages, every service and the documentation site', () => {
    expect(artifacts.map(({ image }) => image).sort()).toEqual(
      ['packages', 'site', ...services].map((name) => `dtplatform/${name}`).sort(),
    );
  });

  it.each(services)('builds %s when its code, its description, a library or a package changes', (service) => {
    const { custom } = artifacts.find(({ image }) => image === `dtplatform/${service}`)!;
    expect(custom.buildCommand).toBe(`node tools/skaffold/build-image.mjs ${service}`);
    expect(custom.dependencies.paths).toEqual(
      expect.arrayContaining([
        ...[`services/${service}/src`, `services/${service}/openapi.json`],
        ...['libs/*/src', 'package-lock.json'],
      ]),
    );
  });
});
