import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { withFile } from './alerts.mjs';

/** Checks the queries of each dashboard with promtool. */
export async function dashboards({ charts, promtool }) {
  const results = [];
  for (const { name, dir } of charts) {
    const folder = join(dir, 'files', 'dashboards');
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder)) {
      const problem = await problemOf(JSON.parse(readFileSync(join(folder, file), 'utf8')), await promtool());
      results.push({ name: `${name}: ${file}`, problem });
    }
  }
  return results;
}

/** Replaces Grafana's variables, which promtool cannot read. */
function problemOf({ panels }, promtool) {
  const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')));
  const rules = queries.map((expr, index) => ({ record: `panel:${index}`, expr }));
  return withFile(stringify({ groups: [{ name: 'panels', rules }] }), async (file) => {
    const { code, output } = await promtool('check', 'rules', file);
    return code === 0 ? undefined : output;
  });
}
