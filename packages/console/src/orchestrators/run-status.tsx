import type { Run } from '@dtplatform/sdk';
import { useText } from '../frame';

const SIGNS = { QUEUED: '◌', RUNNING: '▶', COMPLETED: '✓', ERROR: '✗', CANCELLED: '■' } as const;
export const STATUSES = Object.keys(SIGNS) as Run['_status'][];

/** The status of a run or a step, as a sign and a word. */
export function RunStatus({ status }: { status: Run['_status'] }) {
  const { text } = useText();
  return (
    <span className={`status ${status}`}>
      <span aria-hidden>{SIGNS[status]} </span>
      {text(`runs.${status}`)}
    </span>
  );
}

/** When a run or its steps worked, in milliseconds; undefined until the first step starts. */
export function durationOf({ orchrunsteps, _status }: Pick<Run, 'orchrunsteps' | '_status'>): number | undefined {
  const starts = orchrunsteps.flatMap(({ _startedat }) => (_startedat === undefined ? [] : Number(_startedat)));
  if (starts.length === 0) return undefined;
  const ends = orchrunsteps.flatMap(({ _endedat }) => (_endedat === undefined ? [] : Number(_endedat)));
  const end = _status === 'RUNNING' ? Date.now() : Math.max(...ends);
  return ends.length === 0 && _status !== 'RUNNING' ? undefined : Math.max(0, end - Math.min(...starts));
}

/** A duration, such as `1 h 2 min` or `0.4 s`. */
export function useDuration() {
  const { number } = useText();
  return (ms?: number): string => {
    if (ms === undefined) return '';
    if (ms < 60_000) return `${number(Math.round(ms / 100) / 10)} s`;
    const minutes = Math.floor(ms / 60_000);
    if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`;
    return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  };
}
