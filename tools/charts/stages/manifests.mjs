import { existsSync } from 'node:fs';
import { kindsOfOthers, versions } from '../kubernetes.mjs';

/** Each rendered example against the schemas of each version of Kubernetes; unknown fields are refused. */
export async function manifests({ charts, python }) {
  const run = await python();
  const rendered = charts.flatMap((chart) => chart.examples).filter((example) => existsSync(example.rendered));
  if (rendered.length === 0) return [];
  const order = { versions, kindsOfOthers: Object.keys(kindsOfOthers), files: rendered.map((one) => one.rendered) };
  const { code, stdout, output } = await run('manifests.py', JSON.stringify(order));
  if (code !== 0) return [{ name: 'manifests.py', problem: output }];
  const problems = JSON.parse(stdout);
  return rendered.flatMap(({ name, rendered: file }) =>
    versions.map((version) => ({
      name: `${name} on Kubernetes ${version}`,
      problem: problems[file][version].join('\n') || undefined,
    })),
  );
}
