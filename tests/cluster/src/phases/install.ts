import { TAGS } from '../context.js';
import type { TestRun } from '../test-run.js';

/** Installs the platform with its backends and waits until everything is ready. */
export async function install({ helm, values, report }: TestRun): Promise<void> {
  const took = await helm.apply('install', [await values('first.json', { tag: TAGS.first, replicas: 2 })]);
  report.ready('install', `ready after ${took.toFixed(1)} s`);
}
