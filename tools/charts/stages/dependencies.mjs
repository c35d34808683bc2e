import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Packages the dependencies of each chart into its `charts/` folder if they changed. Nothing is downloaded. */
export async function dependencies({ charts, go }) {
  const { helm } = await go();
  const results = [];
  for (const chart of charts.filter((one) => one.dependencies.length > 0)) {
    const stamp = join(chart.dir, 'charts', '.fingerprint'); // Helm ignores names that begin with a dot
    const fingerprint = fingerprintOf(chart, charts);
    if (read(stamp) === fingerprint) continue;
    const { code, output } = await helm('dependency', 'update', '--skip-refresh', chart.dir);
    if (code === 0) writeFileSync(stamp, fingerprint);
    results.push({ name: chart.name, problem: code === 0 ? undefined : output });
  }
  return results;
}

function fingerprintOf(chart, charts) {
  const hash = createHash('sha256').update(readFileSync(join(chart.dir, 'Chart.yaml')));
  for (const dependency of charts.filter(({ dir }) => chart.dependencies.includes(dir))) {
    hash.update(fingerprintOf(dependency, charts));
    for (const file of filesOf(dependency.dir)) hash.update(relative(dependency.dir, file)).update(readFileSync(file));
  }
  return hash.digest('hex');
}

const NOT_PACKED = ['charts', 'Chart.lock', 'examples', 'tests'];

const filesOf = (dir) =>
  readdirSync(dir, { withFileTypes: true })
    .filter(({ name }) => !NOT_PACKED.includes(name))
    .flatMap((entry) => (entry.isDirectory() ? filesOf(join(dir, entry.name)) : [join(dir, entry.name)]))
    .sort();

const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
