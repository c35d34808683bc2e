import pc from 'picocolors';
import type { RowResult } from './measure.js';

const WIDTHS = [22, 12, 12, 12, 26, 7] as const;

/** The results as lines for a terminal. */
export function table(results: readonly RowResult[]): string {
  const head = ['row', 'unit', 'ours', 'reference', 'ratio (min median max)', 'reach'];
  return [pc.bold(line(head)), ...results.map((result) => mark(result, line(cells(result))))].join('\n');
}

const cells = ({ row, unit, ours, reference, ratio, reach }: RowResult): string[] => [
  ...[row, unit, ours.toFixed(0), reference.toFixed(0)],
  [ratio.min, ratio.median, ratio.max].map((value) => value.toFixed(2)).join('  '),
  `≥ ${reach}`,
];

const line = (texts: string[]): string => texts.map((text, column) => text.padEnd(WIDTHS[column]!)).join(' ');
const mark = ({ ratio, reach }: RowResult, text: string): string =>
  ratio.median >= reach ? `${pc.green(text)} reached` : `${pc.yellow(text)} not reached`;
