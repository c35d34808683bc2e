import { readFileSync } from 'node:fs';

const accepted = JSON.parse(readFileSync(new URL('../accepted-findings.json', import.meta.url), 'utf8'));

/** Checks the rendered examples with checkov, except for findings that are accepted with a reason. */
export async function findings({ rendered, python }) {
  const run = await python();
  const all = await rendered();
  const files = all.flatMap(({ file }) => file ?? []);
  if (files.length === 0) return [];
  const { code, stdout, output } = await run('findings.py', ...files);
  if (code !== 0) return [{ name: 'findings.py', problem: output }];
  const found = JSON.parse(stdout);
  return all.map(({ name, file, problem }) => {
    if (problem !== undefined) return { name, problem };
    const open = found[file].filter((finding) => !accepted.some((one) => covers(one, name, finding)));
    const lines = open.map(({ check, title, resource }) => `${check} ${resource}: ${title}`);
    return { name, problem: lines.join('\n') || undefined };
  });
}

const covers = (one, name, { check, resource }) =>
  new RegExp(`^${one.check}$`).test(check) &&
  new RegExp(one.resource ?? '').test(resource) &&
  (one.example ?? name) === name;
