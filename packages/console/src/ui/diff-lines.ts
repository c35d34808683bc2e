import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';

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
  const [oldText, freshText] = [Text.of(old), Text.of(fresh)];
  const part = (lines: string[], from: number, to: number, kind: DiffLine['kind']) =>
    lines.slice(from, to).map((line): DiffLine => ({ kind, line }));
  const shown: DiffLine[] = [];
  let reached = 0;
  const showUnchanged = (until: number, after: number, before: number) => {
    const isAll = until - reached <= after + before;
    if (isAll) return shown.push(...part(old, reached, until, 'same'));
    const [head, tail] = [
      part(old, reached, reached + after, 'same'),
      part(old, Math.max(reached, until - before), until, 'same'),
    ];
    return shown.push(...head, { kind: 'gap', line: '' }, ...tail);
  };
  for (const { fromA, toA, fromB, toB } of Chunk.build(oldText, freshText, LIMITS)) {
    const from = lineAt(oldText, fromA);
    showUnchanged(from, shown.length > 0 ? CONTEXT : 0, CONTEXT);
    reached = lineAt(oldText, toA);
    shown.push(...part(old, from, reached, 'removed'));
    shown.push(...part(fresh, lineAt(freshText, fromB), lineAt(freshText, toB), 'added'));
  }
  if (shown.length > 0) showUnchanged(old.length, CONTEXT, 0);
  return shown;
}

/** The index of the line at a position; chunks may end behind the last one. */
const lineAt = (text: Text, position: number) =>
  position > text.length ? text.lines : text.lineAt(position).number - 1;
