import { diff } from '@codemirror/merge';
import type { Change } from '@codemirror/merge';

export interface DiffLine {
  kind: 'same' | 'removed' | 'added' | 'gap';
  line: string;
}

/** Unchanged lines around a change. */
const CONTEXT = 3;
const LIMITS = { scanLimit: 1000, timeout: 500 };

/** The lines in which two texts differ, with some around them. Empty if there are none. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  const part = (lines: string[], from: number, to: number, kind: DiffLine['kind']) =>
    lines.slice(from, to).map((line): DiffLine => ({ kind, line }));
  const shown: DiffLine[] = [];
  let reached = 0;
  const showUnchanged = (until: number, after: number, before: number) => {
    const isAll = until - reached <= after + before;
    if (isAll) return shown.push(...part(old, reached, until, 'same'));
    const head = part(old, reached, reached + after, 'same');
    const tail = part(old, until - before, until, 'same');
    return shown.push(...head, { kind: 'gap', line: '' }, ...tail);
  };
  for (const { fromA, toA, fromB, toB } of changesOf(old, fresh)) {
    showUnchanged(fromA, shown.length > 0 ? CONTEXT : 0, CONTEXT);
    reached = toA;
    shown.push(...part(old, fromA, toA, 'removed'), ...part(fresh, fromB, toB, 'added'));
  }
  if (shown.length > 0) showUnchanged(old.length, CONTEXT, 0);
  return shown;
}

/** More different lines have no characters of their own. */
const MAX_LINES = 0xd800;

/** Compares lines as characters: equal lines have the same one. Texts with too many different lines differ as a whole. */
function changesOf(old: string[], fresh: string[]): Pick<Change, 'fromA' | 'toA' | 'fromB' | 'toB'>[] {
  const codes = new Map([...new Set([...old, ...fresh])].map((line, code) => [line, String.fromCharCode(code)]));
  if (codes.size > MAX_LINES) return [{ fromA: 0, toA: old.length, fromB: 0, toB: fresh.length }];
  const [one, other] = [old, fresh].map((lines) => lines.map((line) => codes.get(line)).join(''));
  return [...diff(one!, other!, LIMITS)];
}
