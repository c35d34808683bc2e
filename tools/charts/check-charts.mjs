import { findCharts } from './charts.mjs';
import { needPython, stages } from './stages/index.mjs';
import { getGoTools } from './tools/go.mjs';
import { getPython } from './tools/python.mjs';

/**
 * Runs the named stages over the charts of a folder and hands the results of each, and when it began, to `report`. With
 * `write`, files that are made from others are made anew instead of compared.
 */
export async function checkCharts({ chartsDir, names, write = false, report }) {
  const context = { charts: findCharts(chartsDir), write, go: once(getGoTools), python: once(getPython) };
  // Both kinds of tools are got at the same time; what goes wrong is told by the stage that needs them.
  if (names.some((name) => needPython.includes(name))) context.python().catch(() => undefined);
  for (const name of names) {
    const startMs = performance.now();
    report(name, await stages[name](context), startMs);
  }
}

const once = (get) => {
  let got;
  return () => (got ??= get());
};
