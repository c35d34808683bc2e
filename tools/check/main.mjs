/**
 * `npm test`: starts the backends, has turbo run all checks and tests, and ends with the line `N passed, N failed`. Each test
 * counts as one, and so does each other task; results from the cache count, too.
 *
 * `npm test -- lint types` runs only the named steps.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import startBackends from '../stack/jest/start-backends.mjs';
import stopBackends from '../stack/jest/stop-backends.mjs';
import { resultOf } from './result.mjs';

const RUNS = '.turbo/runs';
const NAMED_BACKENDS = ['MONGO_URL', 'REDIS_URL', 'S3_ENDPOINT', 'S3_SERVER'];
/** The tasks of a step, unless the step is itself a task. */
const TASKS = {
  unit: ['test', 'test:repository'],
  format: ['format:check'],
  types: ['typecheck'],
  dependencies: ['dependency-rules'],
  openapi: ['openapi:check'],
  charts: ['test:charts'],
  browser: ['test:browser'],
  e2e: ['test:e2e'],
  counts: ['test:counts'],
};
const TOGETHER = [
  'build',
  'lint',
  'unit',
  'format',
  'types',
  'unused',
  'dependencies',
  'openapi',
  'compatibility',
  'charts',
];
/** Whatever ran beside these could make them too slow. */
const ALONE = ['browser', 'e2e', 'counts'];

const wanted = process.argv.length > 2 ? process.argv.slice(2) : [...TOGETHER, ...ALONE];
let exitCode = 0;
let child;
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    isInterrupted = true;
    exitCode = 1;
    child?.kill(signal);
  });
}
process.chdir(new URL('../..', import.meta.url).pathname);
rmSync(RUNS, { recursive: true, force: true });
mkdirSync(RUNS, { recursive: true });
try {
  if (wanted.some((name) => ['unit', 'browser'].includes(name))) {
    await turbo(['build'], '--filter=@dtplatform/stack...');
    // Results of backends other than our own do not belong to this run.
    process.env.BACKENDS = NAMED_BACKENDS.map((name) => process.env[name] ?? '').join(' ');
    await startBackends();
  }
  await turbo(
    wanted.filter((name) => !ALONE.includes(name)),
    '--concurrency=3',
  );
  await turbo(
    wanted.filter((name) => ALONE.includes(name)),
    '--concurrency=1',
  );
} catch (error) {
  exitCode = 1;
  process.stderr.write(`${error.message}\n`);
} finally {
  await stopBackends();
}
const { passed, failed, failures } = sum();
for (const name of failures) process.stdout.write(`FAILED ${name}\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** Resolves when turbo has ended. Tasks that depend on one that has failed do not run. */
async function turbo(steps, ...options) {
  if (isInterrupted || steps.length === 0) return;
  const tasks = steps.flatMap((name) => TASKS[name] ?? name);
  const args = ['run', ...tasks, '--summarize', '--continue=dependencies-successful', '--log-order=stream', ...options];
  // The platform behind the folder may have changed since.
  if (process.env.E2E_STATE_DIR) args.push('--force');
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', NODE_VERSION: process.version };
  child = spawn('turbo', args, { stdio: ['ignore', 'inherit', 'inherit'], env });
  const [code] = await once(child, 'close');
  exitCode ||= code ?? 1;
}

/** Adds up all tasks that have a command. Several runs list the builds. Tasks that did not end have failed. */
function sum() {
  const runs = readdirSync(RUNS).map((file) => JSON.parse(readFileSync(`${RUNS}/${file}`, 'utf8')));
  const tasks = new Map(runs.flatMap((run) => run.tasks).map((task) => [task.taskId, task]));
  const results = [...tasks.values()].filter(({ command }) => command !== '<NONEXISTENT>').map(resultOf);
  for (const { attempted, success, failed, cached } of runs.map(({ execution }) => execution))
    results.push({ passed: 0, failed: attempted - success - failed - cached, failures: [] });
  const passed = results.reduce((total, result) => total + result.passed, 0);
  const failed = results.reduce((total, result) => total + result.failed, 0);
  const failures = results.flatMap((result) => result.failures);
  return { passed, failed: failed === 0 && (exitCode !== 0 || passed === 0) ? 1 : failed, failures };
}
