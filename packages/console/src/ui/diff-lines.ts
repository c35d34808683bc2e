import { diff } from '@codemirror/merge';

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
  for (const { fromA, toA, fromB, toB } of diff(...asCharacters(old, fresh), LIMITS)) {
    showUnchanged(fromA, shown.length > 0 ? CONTEXT : 0, CONTEXT);
    reached = toA;
    shown.push(...part(old, fromA, toA, 'removed'), ...part(fresh, fromB, toB, 'added'));
  }
  if (shown.length > 0) showUnchanged(old.length, CONTEXT, 0);
  return shown;
}

/** One character for each line; equal lines have the same one. Beyond 60 000 different lines some look alike. */
function asCharacters(...texts: [string[], string[]]): [string, string] {
  const codes = new Map<string, number>();
  const codeOf = (line: string) => {
    if (!codes.has(line)) codes.set(line, codes.size % 0xd800);
    return codes.get(line)!;
  };
  const [one, other] = texts.map((lines) => lines.map((line) => String.fromCharCode(codeOf(line))).join(''));
  return [one!, other!];
}
