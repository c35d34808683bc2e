import { readFileSync } from 'node:fs';

const MIB = 1024 * 1024;
const EVERY_MS = 1000;
/** The charts' liveness probe. A busy pod may be unready for a while. */
const PROBE = { timeoutMs: 5000, periodMs: 10_000, failures: 6 };
const ANSWER_IN_THE_END = ['/livez', '/readyz'];

/** Probes the processes as Kubernetes does, until the end. @returns a table of peak memory, and failures */
export function watch(processes, limits) {
  const faults = [];
  const peaks = new Map();
  let isOver = false;
  for (const { name, exited } of processes) {
    void exited.then((how) => isOver || faults.push(`${name} ended: ${how}`));
  }
  const measure = () => {
    for (const { name, pid } of processes) peaks.set(name, peakOf(pid) ?? peaks.get(name) ?? 0);
  };
  const measuring = setInterval(measure, EVERY_MS);
  const probing = processes.map((process) => setInterval(probeOf(process, faults), PROBE.periodMs));

  return {
    async end() {
      measure();
      for (const timer of [measuring, ...probing]) clearInterval(timer);
      await Promise.all(
        processes.flatMap((process) =>
          ANSWER_IN_THE_END.map(async (path) => {
            if (!(await answers(process, path, 30_000)))
              faults.push(`${process.name} does not answer ${path} in the end`);
          }),
        ),
      );
      isOver = true;
      for (const [name, peak] of peaks) {
        if (peak > limits.get(name)) faults.push(`${name} took more memory than its limit`);
      }
      return { table: tableOf(peaks, limits), faults };
    },
  };
}

/** The peak resident memory of a process in bytes; undefined when it has ended. */
function peakOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;
  } catch {
    return undefined;
  }
}

function probeOf(process, faults) {
  let failed = 0;
  return async () => {
    failed = (await answers(process, '/livez', PROBE.timeoutMs)) ? 0 : failed + 1;
    if (failed === PROBE.failures) faults.push(`${process.name} did not answer /livez ${failed} times in a row`);
  };
}

const answers = ({ adminUrl }, path, timeoutMs) =>
  fetch(adminUrl + path, { signal: AbortSignal.timeout(timeoutMs) }).then(
    async (response) => (await response.body?.cancel(), response.ok),
    () => false,
  );

function tableOf(peaks, limits) {
  const rows = [...peaks].map(([name, peak]) => {
    const limit = limits.get(name);
    return [name, `${Math.round(peak / MIB)} MiB`, `${limit / MIB} MiB`, `${Math.round((100 * peak) / limit)} %`];
  });
  return [['process', 'peak', 'limit', ''], ...rows]
    .map(([name, ...numbers]) => name.padEnd(24) + numbers.map((number) => number.padStart(10)).join(''))
    .join('\n');
}
