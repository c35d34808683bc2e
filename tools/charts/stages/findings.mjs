import { existsSync, readFileSync } from 'node:fs';

const accepted = JSON.parse(readFileSync(new URL('../accepted-findings.json', import.meta.url), 'utf8'));

/** What checkov finds in the rendered examples, but for what is accepted with a reason. */
export async function findings({ charts, python }) {
  const run = await python();
  const rendered = charts.flatMap((chart) => chart.examples).filter((example) => existsSync(example.rendered));
  if (rendered.length === 0) return [];
  const { code, stdout, output } = await run('findings.py', ...rendered.map((example) => example.rendered));
  if (code !== 0) return [{ name: 'findings.py', problem: output }];
  const found = JSON.parse(stdout);
  return rendered.map(({ name, rendered: file }) => {
    const open = found[file].filter((finding) => !accepted.some((one) => covers(one, finding)));
    const lines = open.map(({ check, title, resource }) => `${check} ${resource}: ${title}`);
    return { name, problem: lines.join('\n') || undefined };
  });
}

const covers = (one, { check, resource }) => one.check === check && new RegExp(one.resource ?? '').test(resource);
