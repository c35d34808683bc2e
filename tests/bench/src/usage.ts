import pidusage from 'pidusage';

/** What a process used while it worked. */
export interface Usage {
  /** User and system time of all its threads. */
  cpuMs: number;
  /** The highest resident memory that was sampled. */
  peakBytes: number;
}

const SAMPLE_EVERY_MS = 100;

/** Observes a process while `work` runs. */
export async function usageDuring<T>(pid: number, work: () => Promise<T>): Promise<{ result: T; usage: Usage }> {
  const before = await pidusage(pid);
  let peakBytes = before.memory;
  const sample = async () => (peakBytes = Math.max(peakBytes, (await pidusage(pid)).memory));
  const timer = setInterval(() => void sample().catch(() => undefined), SAMPLE_EVERY_MS);
  try {
    const result = await work();
    const after = await pidusage(pid);
    return { result, usage: { cpuMs: after.ctime - before.ctime, peakBytes: Math.max(peakBytes, after.memory) } };
  } finally {
    clearInterval(timer);
  }
}

/** This process's usage since its start. */
export function ownUsage(): Usage {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return { cpuMs: (userCPUTime + systemCPUTime) / 1000, peakBytes: maxRSS * 1024 };
}
