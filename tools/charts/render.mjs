import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forEach } from './for-each.mjs';
import { newest } from './kubernetes.mjs';

/**
 * Renders every example of the charts into `dir`. Resolves with one result per example: its name, and either
 * the `file` and `text` of the rendered manifests or the `problem` that Helm reported.
 */
export function renderExamples(charts, helm, dir) {
  const cases = charts.flatMap((chart) => chart.examples.map((example) => ({ chart, ...example })));
  return forEach(cases, async ({ chart, name, values }) => {
    const options = ['--namespace', 'dtplatform', '--kube-version', newest, '--values', values];
    const { code, stdout, output } = await helm('template', chart.name, chart.dir, ...options);
    if (code !== 0) return { name, problem: output };
    const file = join(dir, `${name.replace('/', '-')}.yaml`);
    writeFileSync(file, stdout);
    return { name, file, text: stdout };
  });
}
