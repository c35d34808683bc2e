import type { Report } from '@dtplatform/stack';
import pLimit from 'p-limit';
import { isListed, isStranger, resolvesNames } from './listed-flows.js';
import { PORTS, type Place, type Places } from './places.js';
import { hasPassed, probeFrom, type Probe, type Rejection } from './probe.js';

export interface Check {
  places: Places;
  refusal: Rejection;
  /** The name of a service, which only the cluster's DNS resolves. */
  name: string;
  peers: 'default' | 'named';
}

export interface Cell {
  target: Place;
  port: number;
}

export interface Result {
  passed: number;
  refused: number;
  /** Flows that passed and must not, or the reverse. */
  wrong: string[];
}

/** An unexpected result is tried again: the node may have been busy, or a policy not in force yet. */
const TIMEOUTS_MS = [3_000, 8_000, 8_000];
const SOURCES_AT_ONCE = 4;

/** Tries each flow between two places, and DNS from each source. */
export async function checkFlows(check: Check, report: Report): Promise<Result> {
  const limit = pLimit(SOURCES_AT_ONCE);
  const checkOne = async (source: Place) => {
    const result = await checkSource(source, check);
    report.progress('policies', `${source.name}: ${result.passed} passed, ${result.refused} refused`);
    return result;
  };
  const results = await Promise.all(check.places.sources.map((source) => limit(() => checkOne(source))));
  return {
    passed: results.reduce((total, { passed }) => total + passed, 0),
    refused: results.reduce((total, { refused }) => total + refused, 0),
    wrong: results.flatMap(({ wrong }) => wrong),
  };
}

async function checkSource(source: Place, check: Check): Promise<Result> {
  const cells = cellsOf(source, check);
  const seen: Probe = { outcomes: [], resolved: false };
  let doubtful = cells.map((_, index) => index);
  for (const timeoutMs of TIMEOUTS_MS) {
    const targets = doubtful.map((index) => [cells[index]!.target.address, cells[index]!.port] as const);
    const request = { targets, name: check.name, timeoutMs };
    const { outcomes, resolved } = await probeFrom(source.pod!.kubectl, source.pod!.name, request);
    for (const [index, outcome] of outcomes.entries()) seen.outcomes[doubtful[index]!] = outcome;
    seen.resolved ||= resolved;
    if (judge(source, cells, seen, check).wrong.length === 0) break;
    doubtful = cells.flatMap((cell, index) => (isRight(source, cell, seen.outcomes[index]!, check) ? [] : [index]));
  }
  return judge(source, cells, seen, check);
}

type Rules = Pick<Check, 'refusal' | 'peers'>;

const isRight = (
  { name: source }: Place,
  { target, port }: Cell,
  outcome: string,
  { refusal, peers }: Rules,
): boolean => hasPassed(outcome, refusal) === isListed({ source, target: target.name, port }, peers);

/** Compares the observed flows of a source with the listed ones. */
export function judge(source: Place, cells: Cell[], { outcomes, resolved }: Probe, rules: Rules): Result {
  const hasNames = resolvesNames(source.name);
  const wrong = cells.flatMap((cell, index) => {
    const outcome = outcomes[index]!;
    if (isRight(source, cell, outcome, rules)) return [];
    const must = hasPassed(outcome, rules.refusal) ? 'be refused' : 'pass';
    return [`${source.name} -> ${cell.target.name}:${cell.port} must ${must}: ${outcome}`];
  });
  if (resolved !== hasNames)
    wrong.push(`${source.name} -> DNS must ${hasNames ? 'pass: no answer' : 'be refused: a name was resolved'}`);
  const passed = outcomes.filter((outcome) => hasPassed(outcome, rules.refusal)).length + (resolved ? 1 : 0);
  return { passed, refused: cells.length + 1 - passed, wrong };
}

/** The flows to try from a source. A pod's flow to itself stays inside it, and strangers have no policy. */
export function cellsOf({ name, address }: Place, { places, refusal }: Pick<Check, 'places' | 'refusal'>): Cell[] {
  const isForeign = ({ name: target, pod }: Place) => isStranger(target) || pod === undefined;
  return places.targets
    .filter((target) => target.address !== address && !(isStranger(name) && isForeign(target)))
    .flatMap((target) => portsOf(target, refusal).map((port) => ({ target, port })));
}

/** If the cluster rejects forbidden connections, only a listening port distinguishes the two. */
const portsOf = ({ pod, listens }: Place, rejection: Rejection): readonly number[] =>
  pod === undefined || rejection === 'rejected' ? listens : PORTS;
