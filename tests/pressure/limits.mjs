import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { SERVICES } from '@dtplatform/stack';

const UNITS = { Mi: 1024 ** 2, Gi: 1024 ** 3 };

/** The memory limit of each process in bytes, by process name, as the charts set it. */
export function memoryLimits() {
  const limits = new Map();
  for (const { name } of SERVICES) {
    const values = new URL(`../../charts/${name}/values.yaml`, import.meta.url);
    const { resources, worker } = parse(readFileSync(values, 'utf8'));
    limits.set(name, limitOf(resources)).set(`${name}-migrate`, limitOf(resources));
    if (worker) limits.set(`${name}-worker`, limitOf(worker.resources));
  }
  return limits;
}

function limitOf({ limits: { memory } }) {
  return Number.parseInt(memory) * UNITS[memory.slice(-2)];
}
