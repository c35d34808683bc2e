import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const charts = new URL('../../charts', import.meta.url).pathname;
const services = new URL('../../services', import.meta.url).pathname;
const UNITS = { Mi: 1024 ** 2, Gi: 1024 ** 3 };
/** The API's resources are at the top level, those of the worker one level below. */
const LIMIT = /^( *)resources:\n(?: *#.*\n)* *requests: .*\n *limits: \{ memory: (\d+)(Mi|Gi) \}/gm;

/** The memory limit of each process in bytes, by process name, as the charts set it. */
export function memoryLimits() {
  const limits = new Map();
  for (const service of readdirSync(services)) {
    const file = join(charts, service, 'values.yaml');
    if (!existsSync(file)) continue;
    const values = readFileSync(file, 'utf8');
    // The migration has resources as well, but no callers.
    const worker = values.slice(values.indexOf('\nworker:'), values.indexOf('\nautoscaling:'));
    limits.set(service, limitIn(values, ''));
    if (values.includes('\nworker:')) limits.set(`${service}-worker`, limitIn(worker, '  '));
    limits.set(`${service}-migrate`, limits.get(service));
  }
  return limits;
}

function limitIn(values, indent) {
  const [, , number, unit] = [...values.matchAll(LIMIT)].find(([, found]) => found === indent);
  return Number(number) * UNITS[unit];
}
