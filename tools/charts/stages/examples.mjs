import { existsSync, writeFileSync } from 'node:fs';
import { differenceTo } from '../difference.mjs';

/**
 * Every example must render. Where `examples/<case>/rendered.yaml` is committed, it must be what the chart renders from the
 * `values.yaml` beside it.
 */
export async function examples({ charts, rendered, write }) {
  const results = [];
  for (const { name, committed, text, problem } of await rendered()) {
    const isCompared = problem === undefined && existsSync(committed);
    if (isCompared && write) writeFileSync(committed, text);
    results.push({ name, problem: isCompared ? await differenceTo(committed, text) : problem });
  }
  const without = charts.filter((chart) => !chart.isLibrary && chart.examples.length === 0);
  return [...results, ...without.map(({ name }) => ({ name, problem: 'it has no examples/<case>/values.yaml' }))];
}
