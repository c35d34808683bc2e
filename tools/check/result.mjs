import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = '.turbo/results';
const fileOf = (task) => `${FOLDER}/${task.replaceAll(':', '-')}.json`;

/** Keeps how many tests have passed and failed, if turbo runs this. The file is an output of the task. */
export function writeResult({ passed, failed }) {
  const { TURBO_HASH: hash, npm_lifecycle_event: task } = process.env;
  if (!hash) return;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(fileOf(task), JSON.stringify({ hash, passed, failed }));
}

/** A task of tests has failed without a result of this run, and without any test. */
export function resultOf({ directory, task, hash, outputs, cache, execution }) {
  const isDone = cache.status === 'HIT' || execution?.exitCode === 0;
  const isTest = outputs?.includes(fileOf(task));
  const { passed, failed } = isTest
    ? readResult(join(directory, fileOf(task)), hash)
    : { passed: isDone ? 1 : 0, failed: 0 };
  return { passed, failed: isDone && passed > 0 ? failed : Math.max(failed, 1) };
}

function readResult(file, hash) {
  try {
    const result = JSON.parse(readFileSync(file, 'utf8'));
    if (result.hash === hash) return result;
  } catch {
    // There is none: the task has ended before it wrote one.
  }
  return { passed: 0, failed: 0 };
}
