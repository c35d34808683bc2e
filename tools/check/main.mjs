/**
 * `npm test`: runs all checks and tests. Prints each step with its time and ends with the line `N passed, N failed`, where
 * each static check counts as one and each test as one. `lint` is the longest of the static checks and uses one core, so the
 * others run beside it.
 *
 * `npm test -- lint types` runs only the named steps.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const scratch = mkdtempSync(join(tmpdir(), 'dtplatform-check-'));
const NODE_OPTIONS = '--experimental-vm-modules --no-warnings';

const check = (name, ...command) => ({ name, command, count: (code) => (code === 0 ? [1, 0] : [0, 1]) });
const tests = (name, ...options) => {
  const report = join(scratch, `${name}.json`);
  const reporters = ['--reporters=default', `--reporters=${import.meta.dirname}/jest-report.mjs`];
  const command = ['npx', 'jest', '--selectProjects', name, ...reporters, ...options];
  return { name, command, env: { NODE_OPTIONS, JEST_REPORT: report }, count: (code) => countTests(report, code) };
};

const charts = () => {
  const report = join(scratch, 'charts.json');
  const command = ['node', 'tools/charts/main.mjs', '--counts', report];
  return { name: 'charts', command, count: () => countCharts(report) };
};

const build = check('build', 'npm', 'run', '--silent', 'build');
const lint = check('lint', 'npm', 'run', '--silent', 'lint');
const staticChecks = [
  check('format', 'npm', 'run', '--silent', 'format:check'),
  check('types', 'npm', 'run', '--silent', 'typecheck'),
  check('unused', 'npm', 'run', '--silent', 'unused'),
  check('dependencies', 'npm', 'run', '--silent', 'dependency-rules'),
  check('openapi', 'node', 'tools/openapi/main.mjs', '--check'),
  check('compatibility', 'node', 'tools/openapi/compatibility.mjs'),
  charts(),
];
const suites = [
  // Most of these files wait for something half of their time. Each leaves memory behind in its worker.
  tests('unit', '--maxWorkers=3', '--workerIdleMemoryLimit=2GB'),
  tests('browser'),
  tests('e2e'),
  tests('counts'),
];
const steps = [build, lint, ...staticChecks, ...suites];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !steps.some((step) => step.name === name));
if (unknown.length > 0) {
  process.stderr.write(`No such step: ${unknown.join(', ')}. There are ${steps.map(({ name }) => name).join(', ')}.\n`);
  process.exit(2);
}

let passed = 0;
let failed = 0;
const summary = [];
const isWanted = ({ name }) => wanted.length === 0 || wanted.includes(name);

await inOrder([build]);
await Promise.all([inOrder([lint], 'pipe'), inOrder(staticChecks, 'pipe')]);
await inOrder(suites);
rmSync(scratch, { recursive: true, force: true });
process.stdout.write(`\n${summary.join('\n')}\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** @param output `pipe` prints what a step writes once it has ended */
async function inOrder(list, output = 'inherit') {
  for (const step of list.filter(isWanted)) {
    if (output === 'inherit') process.stdout.write(`\n── ${step.name}\n`);
    const startMs = performance.now();
    const { code, text } = await run(step, output);
    if (output === 'pipe') process.stdout.write(`\n── ${step.name}\n${text}`);
    const [good, bad] = step.count(code);
    passed += good;
    failed += bad;
    const tookSec = ((performance.now() - startMs) / 1000).toFixed(1);
    summary.push(`${bad === 0 ? 'ok  ' : 'FAIL'} ${step.name.padEnd(14)} ${tookSec} s`);
  }
}

function run({ command: [program, ...args], env = {} }, output) {
  return new Promise((resolve) => {
    let text = '';
    const child = spawn(program, args, { stdio: ['ignore', output, output], env: { ...process.env, ...env } });
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (some) => (text += some));
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill(signal));
    child.once('error', (error) => resolve({ code: 1, text: `${text}${error.message}\n` }));
    child.once('close', (code) => resolve({ code: code ?? 1, text }));
  });
}

/** A run without any test, or without a report, has failed. */
function countTests(report, code) {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(report, 'utf8'));
    const bad = numFailedTests + numRuntimeErrorTestSuites;
    return [numPassedTests, bad === 0 && (code !== 0 || numPassedTests === 0) ? 1 : bad];
  } catch {
    return [0, 1];
  }
}

/** A missing report means that the run did not finish. */
function countCharts(report) {
  try {
    const { passed, failed } = JSON.parse(readFileSync(report, 'utf8'));
    return [passed, failed];
  } catch {
    return [0, 1];
  }
}
