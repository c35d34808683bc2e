import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCharts } from './charts.mjs';
import { renderExamples } from './render.mjs';
import { needPython, stages } from './stages/index.mjs';
import { getGoTools, getPromtool } from './tools/go.mjs';
import { getPython } from './tools/python.mjs';

/**
 * Runs the named stages over the charts of a folder and passes the results and the start time of each to `report`. With
 * `write`, generated files are written anew instead of compared.
 */
export async function checkCharts({ chartsDir, names, write = false, report }) {
  const scratch = mkdtempSync(join(tmpdir(), 'dtplatform-charts-'));
  const charts = findCharts(chartsDir);
  const go = once(getGoTools);
  const rendered = once(async () => renderExamples(charts, (await go()).helm, scratch));
  const context = { charts, write, go, rendered, python: once(getPython), promtool: once(getPromtool) };
  // Both are made while helm is built; an error is reported by the first stage that needs them.
  if (names.some((name) => needPython.includes(name))) context.python().catch(() => undefined);
  if (names.includes('alerts')) context.promtool().catch(() => undefined);
  try {
    for (const name of names) {
      const startMs = performance.now();
      report(name, await stages[name](context), startMs);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const once = (get) => {
  let result;
  return () => (result ??= get());
};
