import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { repoRoot } from '@dtplatform/stack';
import { parse } from 'yaml';
import { fastExpression, scaled } from '../src/monitors/fast-rules.js';
import { idOf, idsOf } from '../src/monitors/prove.js';
import { NOT_MADE, ROUNDS } from '../src/monitors/table.js';

interface Rules {
  groups: { rules: { alert: string; expr: string; for?: string }[] }[];
}

const charts = path.join(repoRoot, 'charts');
const services = readdirSync(charts).filter((name) => existsSync(path.join(charts, name, 'files/alerts.yaml')));
const rulesOf = (file: string) =>
  (parse(readFileSync(path.join(charts, file), 'utf8')) as Rules).groups.flatMap(({ rules }) => rules);
const shared = rulesOf('platform-lib/shared/alerts.yaml');
const rules = services.flatMap((service) =>
  [...shared, ...rulesOf(`${service}/files/alerts.yaml`)].map((rule) => ({ service, ...rule })),
);
const faults = ROUNDS.flat();

describe('faults of the cluster test', () => {
  it('fire every alert of every service, except those with a reason', () => {
    const notMade = NOT_MADE.flatMap(({ alert, services: of }) => of.map((service) => idOf({ service, alert })));
    const covered = [...faults.flatMap((fault) => idsOf(fault)), ...notMade];
    expect([...new Set(covered)].sort()).toEqual(rules.map(idOf).sort());
  });

  it('fire each alert for at least one service', () => {
    const fired = new Set(faults.flatMap(({ fires }) => Object.keys(fires)));
    expect(rules.filter(({ alert }) => !fired.has(alert))).toEqual([]);
  });

  it('fire no alert that is listed as not made', () => {
    const fired = new Set(faults.flatMap((fault) => idsOf(fault)));
    const contradicting = NOT_MADE.flatMap(({ alert, services: of }) => of.map((service) => idOf({ service, alert })));
    expect(contradicting.filter((id) => fired.has(id))).toEqual([]);
  });

  it('are distinguishable', () => {
    const names = faults.map(({ what }) => what);
    expect(new Set(names).size).toBe(names.length);
  });
});

it('scales every duration in the rules of the charts', () => {
  const ranges = rules.flatMap(({ expr }) => [...fastExpression(expr).matchAll(/\[(\w+)(?::\w+)?\]/g)]);
  const seconds = ranges.map(([, range]) => Number(/^(\d+)s$/.exec(range!)?.[1]));
  expect(seconds.length).toBeGreaterThan(0);
  expect(seconds.filter((range) => !(range >= 20 && range <= 90))).toEqual([]);
  for (const { for: wait } of rules)
    if (wait) expect(scaled(wait, { least: 5, most: 15 })).toMatch(/^([5-9]|1[0-5])s$/);
});
