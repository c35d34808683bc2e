import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { withScratch } from '../scratch.mjs';

/** A library chart contains the alerts of all charts. */
const PLACES = [
  ['files/alerts.yaml', 'tests/alerts.yaml'],
  ['shared/alerts.yaml', 'shared/alerts.test.yaml'],
];

/**
 * Runs promtool over the alerts of each chart and their tests. Each alert counts as one check and needs a test that it
 * fires and one that it does not. Annotations of the alert are added to the tests, which promtool requires to repeat
 * them. The rules in rendered examples are checked, too.
 */
export async function alerts({ charts, promtool, rendered }) {
  const files = charts.flatMap(({ name, dir }) =>
    PLACES.map(([rules, tests]) => ({ name, rules: join(dir, rules), tests: join(dir, tests) })),
  );
  const results = [];
  for (const { name, ...file } of files.filter(({ rules }) => existsSync(rules))) {
    const problem = await problemOf(file, await promtool());
    results.push(...(problem === undefined ? coverageOf(name, file) : [{ name, problem }]));
  }
  return [...results, ...(await checkRendered(await rendered(), promtool))];
}

async function checkRendered(examples, promtool) {
  const results = [];
  for (const { name, text = '' } of examples)
    for (const { kind, metadata, spec } of documentsIn(text))
      if (kind === 'PrometheusRule') {
        const problem = await withFile(stringify(spec), async (file) => checkRules(file, await promtool()));
        results.push({ name: `${name}: ${metadata.name}`, problem });
      }
  return results;
}

async function problemOf({ rules, tests }, promtool) {
  if (!existsSync(tests)) return `it has no ${tests}`;
  const problem = await checkRules(rules, promtool);
  if (problem !== undefined) return problem;
  return withFile(stringify(complete(parseFile(tests), rules)), async (file) => {
    const { code, output } = await promtool('test', 'rules', file);
    return code === 0 ? undefined : output;
  });
}

async function checkRules(file, promtool) {
  const { code, output } = await promtool('check', 'rules', '--lint=all', '--lint-fatal', file);
  return code === 0 ? undefined : output;
}

export const withFile = (text, work) =>
  withScratch((scratch) => {
    const file = join(scratch, 'file.yaml');
    writeFileSync(file, text);
    return work(file);
  });

/** Adds to the tests the annotations of the alerts that they expect. */
function complete(tests, rules) {
  const annotationsOf = new Map(alertsIn(rules).map(({ alert, annotations }) => [alert, annotations]));
  for (const test of expectationsIn(tests))
    for (const expected of test.exp_alerts ?? []) expected.exp_annotations = annotationsOf.get(test.alertname);
  return { ...tests, rule_files: [rules] };
}

function coverageOf(name, { rules, tests }) {
  const expectations = expectationsIn(parseFile(tests));
  return alertsIn(rules).map(({ alert }) => {
    const fires = expectations
      .filter(({ alertname }) => alertname === alert)
      .map(({ exp_alerts: expected = [] }) => expected.length > 0);
    const missing = [true, false].filter((isFiring) => !fires.includes(isFiring));
    const problem = missing
      .map((isFiring) => `no test shows when it ${isFiring ? 'fires' : 'does not fire'}`)
      .join(', ');
    return { name: `${name}: ${alert}`, problem: problem || undefined };
  });
}

const documentsIn = (text) => parseAllDocuments(text).flatMap((document) => document.toJS() ?? []);
const parseFile = (file) => parse(readFileSync(file, 'utf8'));
const alertsIn = (file) => parseFile(file).groups.flatMap(({ rules }) => rules);
const expectationsIn = ({ tests }) => tests.flatMap((test) => test.alert_rule_test);
