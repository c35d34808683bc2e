import pc from 'picocolors';
import { isReached, type RowResult, type SideResult } from './measure.js';

const COLUMNS: { title: string; width: number; cell: (result: RowResult) => string }[] = [
  { title: 'row', width: 22, cell: ({ row }) => row },
  { title: 'unit', width: 9, cell: ({ unit }) => unit },
  { title: 'ours /s', width: 9, cell: ({ ours }) => ours.perSecond.toFixed(0) },
  { title: 'ref /s', width: 9, cell: ({ reference }) => reference.perSecond.toFixed(0) },
  {
    title: 'ratio min med max',
    width: 18,
    cell: ({ ratio }) => [ratio.min, ratio.median, ratio.max].map((value) => value.toFixed(2)).join('  '),
  },
  { title: 'p50 ms, ours | ref', width: 19, cell: (result) => pair(result, ({ p50Ms }) => p50Ms?.toFixed(2)) },
  { title: 'p99 ms, ours | ref', width: 19, cell: (result) => pair(result, ({ p99Ms }) => p99Ms?.toFixed(2)) },
  { title: 'CPU ms, ours | ref', width: 19, cell: (result) => pair(result, ({ cpuMs }) => cpuMs?.toPrecision(3)) },
  { title: 'MiB, ours | ref', width: 16, cell: (result) => pair(result, ({ peakMiB }) => peakMiB?.toFixed(0)) },
  {
    title: 'reach',
    width: 7,
    cell: ({ reach, atLeast }) => (atLeast === undefined ? `≥ ${reach}` : `≥ ${reach}, ≥ ${atLeast}/s`),
  },
];

/** The results as lines for a terminal: CPU time per unit, and peak memory. */
export function table(results: readonly RowResult[]): string {
  const head = pc.bold(line(COLUMNS.map(({ title }) => title)));
  return [head, ...results.map((result) => mark(result, line(COLUMNS.map(({ cell }) => cell(result)))))].join('\n');
}

const pair = ({ ours, reference }: RowResult, value: (side: SideResult) => string | undefined): string =>
  [ours, reference].map((side) => value(side) ?? '–').join(' | ');

const line = (texts: string[]): string => texts.map((text, n) => text.padEnd(COLUMNS[n]!.width)).join(' ');
const mark = (result: RowResult, text: string): string =>
  isReached(result) ? `${pc.green(text)} reached` : `${pc.yellow(text)} not reached`;
