import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

const repository = path.resolve(import.meta.dirname, '../../..');
const program = path.join(repository, 'tools/skaffold/programs.mjs');
const { programsOf } = (await import(program)) as { programsOf: (service: string, root?: string) => string[] };

it('a development image contains a service, its API description and the libraries it uses, without test-only ones', () => {
  const programs = programsOf('filesvc', repository);
  expect(programs).toEqual(
    expect.arrayContaining([
      'services/filesvc/dist',
      'services/filesvc/openapi.json',
      'libs/http/dist',
      'libs/errors/dist',
    ]),
  );
  expect(programs).not.toContain('libs/testing/dist');
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
