import { writeFileSync } from 'node:fs';
import { differenceTo } from '../difference.mjs';
import { newest } from '../kubernetes.mjs';
import { forEach } from '../run.mjs';

/** `examples/<case>/rendered.yaml` is what the chart makes of `values.yaml` beside it. */
export async function examples({ charts, go, write }) {
  const { helm } = await go();
  const cases = charts.flatMap((chart) => chart.examples.map((example) => ({ chart, ...example })));
  const results = await forEach(cases, async ({ chart, name, values, rendered }) => {
    const options = ['--namespace', 'dtplatform', '--kube-version', newest, '--values', values];
    const { code, stdout, output } = await helm('template', chart.name, chart.dir, ...options);
    if (code !== 0) return { name, problem: output };
    if (write) writeFileSync(rendered, stdout);
    return { name, problem: await differenceTo(rendered, stdout) };
  });
  const without = charts.filter((chart) => !chart.isLibrary && chart.examples.length === 0);
  return [...results, ...without.map(({ name }) => ({ name, problem: 'it has no examples/<case>/values.yaml' }))];
}
