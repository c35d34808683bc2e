import { getGoTools, getPromtool } from '../programs/go.mjs';
import { findCharts } from './charts.mjs';
import { renderExamples } from './render.mjs';
import { withScratch } from './scratch.mjs';
import { needPromtool, needPython, stages } from './stages/index.mjs';
import { getPython } from './tools/python.mjs';

/**
 * Runs the named stages over the charts of a folder and passes the results and the start time of each to `report`. With
 * `write`, generated files are rewritten instead of compared.
 */
export function checkCharts({ chartsDir, names, write = false, report }) {
  const charts = findCharts(chartsDir);
  const go = once(getGoTools);
  const programs = { go, python: once(getPython), promtool: once(getPromtool) };
  // Both are built in parallel with helm; the first stage that needs them reports an error.
  if (names.some((name) => needPython.includes(name))) programs.python().catch(() => undefined);
  if (names.some((name) => needPromtool.includes(name))) programs.promtool().catch(() => undefined);
  return withScratch(async (scratch) => {
    const rendered = once(async () => renderExamples(charts, (await go()).helm, scratch));
    for (const name of names) {
      const startMs = performance.now();
      report(name, await stages[name]({ charts, write, rendered, ...programs }), startMs);
    }
  });
}

const once = (get) => {
  let result;
  return () => (result ??= get());
};
