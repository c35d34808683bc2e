/** Plants one fault at a time in a sound chart; the stage that is responsible must find it. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { checkCharts } from '../check-charts.mjs';
import { stages } from '../stages/index.mjs';
import { makeSoundChart } from './sound-chart.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'dtplatform-charts-'));
const chart = join(scratch, 'sound-chart');

beforeEach(async () => {
  makeSoundChart(chart);
  await write();
});
after(() => rmSync(scratch, { recursive: true }));

test('rejects an outdated README', async () => {
  replace('values.yaml', 'How much', 'How many');
  assert.match((await check('readme')).readme, /updates .*README\.md/);
});

test('rejects an unknown field for each Kubernetes version', async () => {
  replace('templates/config-map.yaml', '\ndata:', '\ndate: today\ndata:');
  const problems = await check('manifests');
  for (const version of ['1.30', '1.34'])
    assert.match(problems.manifests, new RegExp(`Kubernetes ${version}: ConfigMap sound: .*'date' was unexpected`));
});

test('rejects an unknown kind and a duplicate key', async () => {
  replace('templates/config-map.yaml', 'kind: ConfigMap', 'kind: ConfigMop');
  assert.match((await check('manifests')).manifests, /Kubernetes has no v1 ConfigMop/);
  replace('templates/config-map.yaml', '\ndata:', '\nimmutable: true\nimmutable: false\ndata:');
  assert.match((await check('manifests')).manifests, /duplicate key immutable/);
});

test('rejects unaccepted findings of an example', async () => {
  appendFileSync(join(chart, 'templates/config-map.yaml'), `---\n${privilegedPod}`);
  assert.match((await check('findings')).findings, /CKV_K8S_16 Pod\.dtplatform\.bad: /);
});

test('rejects a failing suite and an empty suite', async () => {
  replace('tests/config-map_test.yaml', "value: '1'", "value: '2'");
  assert.match((await check('suites')).suites, /Expected to equal/);
  writeFileSync(join(chart, 'tests/config-map_test.yaml'), 'suite: empty\ntests: []\n');
  assert.match((await check('suites')).suites, /0 passed/);
});

test('rejects an alert that does not fire when it should, or fires when it should not', async () => {
  replace('files/alerts.yaml', 'size > 10', 'size > 30');
  assert.match((await check('alerts')).alerts, /TooLarge, time: 1m/);
  replace('files/alerts.yaml', 'size > 30', 'size > 0');
  assert.match((await check('alerts')).alerts, /TooLarge, time: 0s/);
});

test('rejects an alert without a test that it fires and one that it does not', async () => {
  replace(
    'files/alerts.yaml',
    '      - alert: TooLarge',
    `      - alert: Gone\n        expr: absent(size)\n      - alert: TooLarge`,
  );
  assert.match(
    (await check('alerts')).alerts,
    /Gone: no test shows when it fires, no test shows when it does not fire$/,
  );
  replace(
    'tests/alerts.yaml',
    '    alert_rule_test:',
    `    alert_rule_test:\n      - { alertname: Gone, eval_time: 1m }`,
  );
  assert.match((await check('alerts')).alerts, /Gone: no test shows when it fires$/);
  rmSync(join(chart, 'tests/alerts.yaml'));
  assert.match((await check('alerts')).alerts, /has no .*tests\/alerts.yaml/);
});

test('rejects a dashboard query that Prometheus cannot parse', async () => {
  replace('files/dashboards/sizes.json', 'rate(size', 'rte(size');
  assert.match((await check('dashboards')).dashboards, /sizes.json: .*unknown function/s);
});

test('rejects a chart without examples and suites', async () => {
  rmSync(join(chart, 'examples'), { recursive: true });
  rmSync(join(chart, 'tests'), { recursive: true });
  const problems = await check('suites', 'examples');
  assert.match(problems.suites, /has no tests/);
  assert.match(problems.examples, /has no examples/);
});

test('accepts the sound chart', async () => {
  assert.deepEqual(await check(...Object.keys(stages)), {});
});

const privilegedPod = `apiVersion: v1
kind: Pod
metadata: { name: bad, namespace: dtplatform }
spec:
  containers:
    - { name: bad, image: 'bad:1', securityContext: { privileged: true } }
`;

async function check(...names) {
  const problems = {};
  const report = (stage, results) => {
    const bad = results.filter(({ problem }) => problem !== undefined);
    if (bad.length > 0) problems[stage] = bad.map(({ name, problem }) => `${name}: ${problem}`).join('\n');
    else assert.ok(['shared', 'dependencies'].includes(stage) || results.length > 0, `${stage} checked nothing`);
  };
  await checkCharts({ chartsDir: scratch, names, report });
  return problems;
}

const write = () => checkCharts({ chartsDir: scratch, names: ['readme'], write: true, report: () => undefined });

function replace(file, old, text) {
  const path = join(chart, file);
  const before = readFileSync(path, 'utf8');
  assert.ok(before.includes(old), `${file} has no ${old}`);
  writeFileSync(path, before.replace(old, text));
}
