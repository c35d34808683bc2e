import type { Idle } from './cost.js';
import type { Counted } from './count.js';

const COUNTED = ['mongodb', 'redis', 's3', 'peers'];
const WIDTHS = [18, 8, 8, 8, 6, 6, 8, 14];
/** CPU time excludes the S3 server, which is not ours, and this process (the gateway and callers). */
const COLUMNS = ['operation', 'callers', 'MongoDB', 'Redis', 'S3', 'peers', 'CPU ms', 'of the service'];

export const countHead = (): string => line(COLUMNS);

/** One line per number of callers. CPU time is the sum of services, workers, MongoDB and Redis. */
export const countLine = ({ operation, callers, service, cpuMs, counts }: Counted): string => {
  const own = [service, `${service}-worker`].filter((name) => name in cpuMs).map((name) => digits(cpuMs[name]!));
  return line([operation, String(callers), ...figures({ cpuMs, counts }), own.join(' + ')]);
};

export const idleLine = (idle: Idle): string => line(['at rest, a second', '-', ...figures(idle), '-']);

const figures = ({ cpuMs, counts }: Idle): string[] => [
  ...COUNTED.map((name) => digits(counts[name] ?? 0)),
  digits(Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0)),
];

const digits = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(1));
const line = (texts: string[]): string => texts.map((text, n) => text.padEnd(WIDTHS[n]!)).join(' ');
