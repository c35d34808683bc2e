/**
 * `npm run test:charts`: checks the charts and prints `N passed, N failed` as its last line.
 *
 * `npm run test:charts -- lint suites` runs only these stages; `--write` updates the generated files.
 */
import { parseArgs } from 'node:util';
import { writeResult } from '../check/result.mjs';
import { checkCharts } from './check-charts.mjs';
import { faults } from './faults.mjs';
import { stages } from './stages/index.mjs';

const chartsDir = new URL('../../charts', import.meta.url).pathname;
const all = [...Object.keys(stages), 'faults'];

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' } },
});
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) fail(`No such stage: ${unknown.join(', ')}. The stages are ${all.join(', ')}.`, 2);

let passed = 0;
let failed = 0;
try {
  const isWanted = (name) => wanted.length === 0 || wanted.includes(name);
  const names = Object.keys(stages).filter((name) => name === 'dependencies' || isWanted(name));
  await checkCharts({ chartsDir, names, write: options.write, report });
  const startMs = performance.now();
  if (isWanted('faults')) report('faults', await faults(), startMs);
} catch (error) {
  fail(error.message, 1);
}
writeResult({ passed, failed });
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

function report(stage, results, startMs) {
  const bad = results.filter(({ problem }) => problem !== undefined);
  passed += results.length - bad.length;
  failed += bad.length;
  for (const { name, problem } of bad.filter((one) => one.problem !== ''))
    process.stdout.write(`\n✗ ${stage}: ${name}\n${problem.replaceAll(/^/gm, '  ')}\n\n`);
  const count = `${results.length - bad.length}/${results.length}`;
  process.stdout.write(
    `${bad.length === 0 ? 'ok  ' : 'FAIL'} ${stage.padEnd(14)} ${count.padStart(9)}  ${((performance.now() - startMs) / 1000).toFixed(1)} s\n`,
  );
}

function fail(message, code) {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
