import pidusage from 'pidusage';
import type { Round } from './measure.js';

/** What a process used while it worked. */
export interface Usage {
  /** User and system time of all its threads. */
  cpuMs: number;
  /** The highest resident memory that was sampled. */
  peakBytes: number;
}

const SAMPLE_EVERY_MS = 100;

/** Observes a process while `work` runs, and adds its usage to the result. */
export async function observed(pid: number, work: () => Promise<Round>): Promise<Round> {
  const before = await pidusage(pid);
  let peakBytes = before.memory;
  const sample = async () => (peakBytes = Math.max(peakBytes, (await pidusage(pid)).memory));
  const timer = setInterval(() => void sample().catch(() => undefined), SAMPLE_EVERY_MS);
  try {
    const round = await work();
    const after = await pidusage(pid);
    const usage = { cpuMs: after.ctime - before.ctime, peakBytes: Math.max(peakBytes, after.memory) };
    return { ...round, usage };
  } finally {
    clearInterval(timer);
  }
}

/** This process's usage since its start. */
export function ownUsage(): Usage {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return { cpuMs: (userCPUTime + systemCPUTime) / 1000, peakBytes: maxRSS * 1024 };
}
