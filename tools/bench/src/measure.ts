/** One of the two compared programs. */
export interface Side {
  /** Does the work once and returns the result in the row's unit; more is better. */
  run: () => Promise<number>;
  /** The same, shorter, to fill caches and let code be compiled. */
  warmUp: () => Promise<unknown>;
}

/** Both sides of a row, on the same backends. */
export interface Contest {
  ours: Side;
  reference: Side;
  close?: () => Promise<void>;
}

export interface RowResult {
  row: string;
  unit: string;
  /** The medians of the rounds. */
  ours: number;
  reference: number;
  /** For each round: ours divided by reference. */
  ratio: { min: number; median: number; max: number };
  reach: number;
}

const ROUNDS = 3;

/**
 * Warms both sides up and lets them take turns, so that a temporary disturbance affects both. The side that goes first
 * alternates from round to round.
 */
export async function measure(
  { row, unit, reach }: Pick<RowResult, 'row' | 'unit' | 'reach'>,
  { ours, reference }: Contest,
  tell: (text: string) => void,
): Promise<RowResult> {
  tell('warming up');
  await ours.warmUp();
  await reference.warmUp();
  const rounds: { ours: number; reference: number }[] = [];
  while (rounds.length < ROUNDS) {
    const round = rounds.length % 2 === 0 ? await inTurn(ours, reference) : swapped(await inTurn(reference, ours));
    rounds.push({ ours: round[0], reference: round[1] });
    tell(`round ${rounds.length}: ${round[0].toFixed(0)} beside ${round[1].toFixed(0)} ${unit}`);
  }
  const ratios = rounds.map((round) => round.ours / round.reference).sort(ascending);
  return {
    ...{ row, unit, reach },
    ours: round1(median(rounds.map((round) => round.ours))),
    reference: round1(median(rounds.map((round) => round.reference))),
    ratio: { min: round3(ratios[0]!), median: round3(median(ratios)), max: round3(ratios.at(-1)!) },
  };
}

async function inTurn(first: Side, second: Side): Promise<[number, number]> {
  return [await first.run(), await second.run()];
}

const swapped = ([first, second]: [number, number]): [number, number] => [second, first];
const ascending = (a: number, b: number) => a - b;
const median = (values: number[]): number => [...values].sort(ascending)[Math.floor(values.length / 2)]!;
const round1 = (value: number): number => Math.round(value * 10) / 10;
const round3 = (value: number): number => Math.round(value * 1000) / 1000;
