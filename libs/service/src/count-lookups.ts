import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';

const NAME = 'cache_lookups_total';

/** Counts the lookups in one cache of a process. @returns what to call for each of them */
export function countLookups(registry: Registry, cache: string): (isHit: boolean) => void {
  const counter = (registry.getSingleMetric(NAME) as Counter | undefined) ?? createCounter(registry);
  const [hits, misses] = ['hit', 'miss'].map((outcome) => counter.labels({ cache, outcome }));
  for (const count of [hits!, misses!]) count.inc(0);
  return (isHit) => (isHit ? hits : misses)!.inc();
}

const createCounter = (registry: Registry) =>
  new Counter({
    name: NAME,
    help: 'Lookups in a cache of this process, by whether it had the entry.',
    labelNames: ['cache', 'outcome'],
    registers: [registry],
  });
