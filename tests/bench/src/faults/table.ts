import type { Outcome } from './run-fault.js';

const HEAD = ['fault', 'requests', '503', 'broken', 'back', 'work done', 'acknowledged', 'violations'];

/** One line per fault. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map((one) => [
    ...[one.fault, String(one.requests), String(one.unavailable), String(one.broken)],
    ...[`${one.backSeconds.toFixed(1)} s`, `${one.workSeconds.toFixed(1)} s`],
    ...[String(one.acknowledged), String(one.violations.length)],
  ]);
  return [HEAD, ...rows]
    .map(([name = '', ...cells]) => name.padEnd(22) + cells.map((cell) => cell.padStart(13)).join(''))
    .join('\n');
}
