import type { Usage } from './usage.js';

/** One run of a side. */
export interface Round {
  /** In the row's unit; more is better. */
  perSecond: number;
  /** Total work, in the row's unit. */
  done: number;
  /** The median response time, if requests are sent one by one. */
  p50Ms?: number;
  /** Usage of the process that did the work; absent if both sides share it. */
  usage?: Usage;
  /** The 99th percentile of response times; absent if it is not measured. */
  p99Ms?: number;
}

/** One of the two compared programs. */
export interface Side {
  /** Does the work once. */
  run: () => Promise<Round>;
  /** A shorter run that fills caches and gets code compiled. */
  warmUp: () => Promise<unknown>;
}

/** Both sides of a row, on the same backends. */
export interface Contest {
  ours: Side;
  reference: Side;
}

/** All rounds of one side. */
export interface SideResult {
  /** The median. */
  perSecond: number;
  /** The median. */
  p50Ms?: number;
  /** CPU time per unit, the median. */
  cpuMs?: number;
  /** The highest of all rounds. */
  peakMiB?: number;
  /** The median. */
  p99Ms?: number;
}

export interface RowResult {
  row: string;
  unit: string;
  ours: SideResult;
  reference: SideResult;
  /** Ours divided by the reference, per round. */
  ratio: { min: number; median: number; max: number };
  reach: number;
  /** An absolute target in the row's unit per second. */
  atLeast?: number;
}

const ROUNDS = 3;
const MIB = 2 ** 20;

/**
 * Warms both sides up and alternates between them, so that a temporary disturbance affects both. The side that goes
 * first changes from round to round.
 */
export async function measure(
  row: Pick<RowResult, 'row' | 'unit' | 'reach' | 'atLeast'>,
  { ours, reference }: Contest,
  tell: (text: string) => void,
): Promise<RowResult> {
  tell('warming up');
  await ours.warmUp();
  await reference.warmUp();
  const rounds: { ours: Round; reference: Round }[] = [];
  while (rounds.length < ROUNDS) {
    const round = rounds.length % 2 === 0 ? await inTurn(ours, reference) : swapped(await inTurn(reference, ours));
    rounds.push({ ours: round[0], reference: round[1] });
    const [first, second] = round.map(({ perSecond }) => perSecond.toFixed(0));
    tell(`round ${rounds.length}: ${first} beside ${second} ${row.unit}/s`);
  }
  const ratios = rounds.map((round) => round.ours.perSecond / round.reference.perSecond).sort(ascending);
  return {
    ...row,
    ours: summary(rounds.map((round) => round.ours)),
    reference: summary(rounds.map((round) => round.reference)),
    ratio: { min: rounded(ratios[0]!), median: rounded(median(ratios)), max: rounded(ratios.at(-1)!) },
  };
}

export const isReached = ({ ours, ratio, reach, atLeast = 0 }: RowResult): boolean =>
  ratio.median >= reach && ours.perSecond >= atLeast;

function summary(rounds: Round[]): SideResult {
  const perSecond = rounded(median(rounds.map((round) => round.perSecond)));
  const observed = rounds.flatMap(({ usage, done }) => (usage ? [{ ...usage, done }] : []));
  const times = (name: 'p50Ms' | 'p99Ms') => {
    const measured = rounds.flatMap((round) => round[name] ?? []);
    return measured.length === 0 ? {} : { [name]: rounded(median(measured)) };
  };
  const measured = { perSecond, ...times('p50Ms'), ...times('p99Ms') };
  if (observed.length === 0) return measured;
  return {
    ...measured,
    cpuMs: rounded(median(observed.map(({ cpuMs, done }) => cpuMs / done))),
    peakMiB: Math.round(Math.max(...observed.map(({ peakBytes }) => peakBytes)) / MIB),
  };
}

async function inTurn(first: Side, second: Side): Promise<[Round, Round]> {
  return [await first.run(), await second.run()];
}

const swapped = ([first, second]: [Round, Round]): [Round, Round] => [second, first];
const ascending = (a: number, b: number) => a - b;
const median = (values: number[]): number => [...values].sort(ascending)[Math.floor(values.length / 2)]!;
/** To four significant digits. */
const rounded = (value: number): number => Number(value.toPrecision(4));
