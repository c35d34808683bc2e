import type { OneByOneLoad } from './load/one-by-one-load.js';
import type { Contest, Side } from './measure.js';
import { programSide } from './program-side.js';

const MANY = 1_000_000;
const FEW = 10_000;
/** Different filter values, so that no database cache holds exactly what is listed. */
const VALUES = 500;

/** Compares a million documents with ten thousand. */
export async function manyBesideFew(sideWith: (count: number) => Promise<Side>): Promise<Contest> {
  const [reference, ours] = [await sideWith(FEW), await sideWith(MANY)];
  return { ours, reference };
}

/** Lists of one client, one after the other. */
export const listSide = (pid: number, load: Omit<OneByOneLoad, 'seconds'>): Side =>
  programSide<OneByOneLoad>('load/one-by-one-load', load, { seconds: 1, warmUpSeconds: 0.5, pid });

/** URLs that find random documents. @param urlOf gets the number of a document, with seven digits */
export const someUrls = (count: number, urlOf: (digits: string) => string): string[] =>
  Array.from({ length: VALUES }, () => urlOf(String(Math.floor(Math.random() * count)).padStart(7, '0')));
