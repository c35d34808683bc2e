import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

/** The charts of a folder, each after its dependencies. */
export function findCharts(chartsDir) {
  const charts = foldersIn(chartsDir)
    .filter((dir) => existsSync(join(dir, 'Chart.yaml')))
    .map(readChart);
  const ordered = new Set();
  const add = (chart) => {
    for (const dir of chart.dependencies) {
      const dependency = charts.find((one) => one.dir === dir);
      if (dependency === undefined)
        throw new Error(`${chart.name}: its dependency ${dir} is not a chart of this folder`);
      add(dependency);
    }
    ordered.add(chart);
  };
  charts.forEach(add);
  return [...ordered];
}

function readChart(dir) {
  const text = readFileSync(join(dir, 'Chart.yaml'), 'utf8');
  const dependencies = [...text.matchAll(/repository:\s*['"]?file:\/\/([^'"\s]+)/g)].map(([, path]) =>
    resolve(dir, path),
  );
  const name = basename(dir);
  const examples = foldersIn(join(dir, 'examples')).map((folder) => ({
    name: `${name}/${basename(folder)}`,
    values: join(folder, 'values.yaml'),
  }));
  return { name, dir, isLibrary: /^type:\s*library\s*$/m.test(text), dependencies, examples };
}

const foldersIn = (dir) =>
  existsSync(dir)
    ? readdirSync(dir, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => join(dir, name))
    : [];
