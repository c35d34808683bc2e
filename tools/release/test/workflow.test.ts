import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createReleaseClone, DIGEST, repository } from './release-clone.js';
import type { ReleaseClone } from './release-clone.js';
import { runWorkflow } from './run-workflow.js';
import type { Action } from './run-workflow.js';

const MINUTES = 60_000;
const REMOVED = '/metricsvc/api/v1/reconciliations/{id}';
const CLIENTS = ['@dtplatform/sdk', 'dtplatform'];
const SOURCE = 'https://example.com/twins/dtplatform';

describe('a release', () => {
  const images: string[] = [];
  let clone: ReleaseClone;
  let breaks: string;
  let published: { name: string; version: string }[] = [];

  const versionOf = (name: string) => /^version: (.*)$/m.exec(clone.read(`charts/${name}/Chart.yaml`))![1]!;
  const chart = (command: string, name: string) => {
    const reference = `oci://${clone.host}/twins/charts/${name}`;
    return clone.run('helm', ...command.split(' '), reference, '--version', versionOf(name));
  };

  const actions = {
    'changesets/action': ({ version, publish }: Record<string, string>) => {
      clone.run('sh', '-c', version!);
      clone.commit();
      const tags = clone.run('sh', '-c', publish!).matchAll(/New tag:\s+(\S+)@(\S+)/g);
      published = Array.from(tags, ([, name, tag]) => ({ name: name!, version: tag! }));
      return { publishedPackages: JSON.stringify(published) };
    },
    'docker/build-push-action': ({ tags }: Record<string, string>) => (images.push(tags!), {}),
  };
  const release = (standIns: Record<string, Action> = actions) => {
    const github = {
      ...{ event: { repository: { fork: false } }, repository: 'twins/dtplatform', repository_owner: 'twins' },
      ...{ server_url: 'https://example.com', sha: '0'.repeat(40), actor: 'test' },
    };
    const workflow = clone.file('.github/workflows/release.yml');
    writeFileSync(workflow, clone.read('.github/workflows/release.yml').replace('ghcr.io', clone.host));
    const context = { github, vars: {}, secrets: { GITHUB_TOKEN: 'token' } };
    runWorkflow(workflow, { root: clone.root, env: clone.env, context, actions: standIns });
  };

  beforeAll(async () => {
    clone = await createReleaseClone();
    clone.run('git', 'tag', '--force', `@dtplatform/metricsvc@${versionOf('metricsvc')}`);
    const description = JSON.parse(clone.read('services/metricsvc/openapi.json')) as { paths: Record<string, unknown> };
    delete description.paths[REMOVED];
    writeFileSync(clone.file('services/metricsvc/openapi.json'), JSON.stringify(description));
    writeFileSync(clone.file('.changeset/test.md'), "---\n'@dtplatform/metricsvc': patch\n---\n\nSeries only.\n");
    const check = clone.start('node', 'tools/openapi/compatibility.mjs');
    expect(check.status).toBe(1);
    breaks = check.stdout.split('\n\n')[0]!;
    writeFileSync(clone.file('tools/openapi/accepted-breaks.txt'), `${breaks}\n`);
    expect(clone.start('node', 'tools/openapi/compatibility.mjs')).toMatchObject({ status: 0, stdout: '' });
    clone.commit();
    release();
  }, 5 * MINUTES);
  afterAll(() => clone.stop());

  it('names the breaking changes of the API in the change log, and is a major one', () => {
    expect(breaks).toContain(REMOVED);
    const [major, ...rest] = versionOf('metricsvc').split('.').map(Number);
    expect([major! > 0, rest]).toEqual([true, [0, 0]]);
    const changes = clone.read('services/metricsvc/CHANGELOG.md');
    expect(changes).toContain('Series only.');
    expect(changes).toMatch(new RegExp(`Breaking changes of the API:\\s+- \`GET ${REMOVED.replace(/[{}]/g, '.')}\`: `));
  });

  it('contains charts that use its images', () => {
    const image = `${clone.host}/twins/dtplatform/metricsvc:${versionOf('metricsvc')}`;
    expect(images).toContain(image);
    const values = path.join(repository, 'charts/platform/examples/minimal/values.yaml');
    const rendered = chart(`template twins --plain-http --kube-version 1.30 --values ${values}`, 'platform');
    const used = Array.from(rendered.matchAll(/^[ -]+image: "?([^\s"]+)/gm), ([, name]) => name);
    expect(used).toContain(image);
    expect(chart('show chart', 'metricsvc')).toContain(`appVersion: ${versionOf('metricsvc')}\n`);
  });

  it('signs each image and each chart', () => {
    const charts = clone.callsOf('helm').filter((call) => call.startsWith('helm push'));
    expect(charts.length).toBeGreaterThan(1);
    const signed = clone.callsOf('cosign').filter((call) => call.startsWith('cosign sign'));
    expect(signed.length).toBe(images.length + charts.length);
    expect(signed).toContain(`cosign sign --yes --recursive ${images[0]!}@${DIGEST}`);
    expect(signed.at(-1)).toMatch(new RegExp(`^cosign sign --yes ${clone.host}/twins/charts/platform@sha256:\\w{64}$`));
  });

  it('publishes the packages that programs install', () => {
    const names = clone
      .callsOf('npm')
      .filter((call) => call.startsWith('npm publish'))
      .map((call) => call.split(' ').at(-1));
    expect(names).toEqual(published.map(({ name }) => name).filter((name) => CLIENTS.includes(name)));
    expect(names).toContain('@dtplatform/sdk');
  });

  it.each(['sdk', 'cli'])('names the repository in the package of %s, and links to it', (name) => {
    expect(JSON.parse(clone.read(`packages/${name}/package.json`))).toMatchObject({
      repository: { url: `git+${SOURCE}.git`, directory: `packages/${name}` },
      homepage: `${SOURCE}/tree/main/packages/${name}#readme`,
      bugs: `${SOURCE}/issues`,
    });
    const readme = clone.read(`packages/${name}/README.md`);
    expect(readme).toContain(`](${SOURCE}/blob/main/README.md)`);
    expect(readme).not.toMatch(/\]\(\./);
  });

  it(
    'publishes no chart again',
    () => {
      clone.forgetCalls();
      const services = published.filter(({ name }) => !CLIENTS.includes(name));
      release({ 'changesets/action': () => ({ publishedPackages: JSON.stringify(services) }) });
      expect(clone.callsOf('helm').filter((call) => call.startsWith('helm push'))).toEqual([]);
    },
    MINUTES,
  );
});
