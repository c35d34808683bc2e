import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = '.turbo/results';
const fileOf = (task) => `${FOLDER}/${task.replaceAll(':', '-')}.json`;

/**
 * Records how many tests passed and failed, and the names of those that failed with the reason, if turbo runs this. The
 * file is an output of the task.
 */
export function writeResult({ passed, failed, failures = [] }) {
  const { TURBO_HASH: hash, npm_lifecycle_event: task } = process.env;
  if (!hash) return;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(fileOf(task), JSON.stringify({ hash, passed, failed, failures }));
}

/** A test task fails if it has no result of this run, or no tests. */
export function resultOf({ taskId, directory, task, hash, outputs, cache, execution }) {
  const isDone = cache.status === 'HIT' || execution?.exitCode === 0;
  const isTest = outputs?.includes(fileOf(task));
  const { passed, failed, failures } = isTest
    ? readResult(join(directory, fileOf(task)), hash)
    : { passed: isDone ? 1 : 0, failed: 0, failures: [] };
  if (isDone && passed > 0) return { passed, failed, failures };
  return { passed, failed: Math.max(failed, 1), failures: failures.length > 0 ? failures : [taskId] };
}

function readResult(file, hash) {
  try {
    const result = JSON.parse(readFileSync(file, 'utf8'));
    if (result.hash === hash) return result;
  } catch {
    // There is none: the task ended before it wrote one.
  }
  return { passed: 0, failed: 0, failures: [] };
}
