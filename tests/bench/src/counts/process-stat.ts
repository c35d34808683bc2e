/** Resource usage of a process and its children. */
export interface Usage {
  /** CPU time since they were started, in seconds. */
  cpuSeconds: number;
  /** Resident memory. */
  bytes: number;
}

/** USER_HZ, which is constant in Linux. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/**
 * Sums up lines of /proc/PID/stat (proc(5)) of a process and its children. Other processes, such as the reader of these
 * lines, have another parent.
 * @param first the process; 1, the first process of a container, by default
 */
export function usageOf(stat: string, first = 1): Usage {
  const usage = { cpuSeconds: 0, bytes: 0 };
  for (const line of stat.split('\n').filter((text) => text.includes(')'))) {
    const { pid, parent, ticks, pages } = parse(line);
    if (pid !== first && parent !== first) continue;
    usage.cpuSeconds += ticks / TICKS_PER_SECOND;
    usage.bytes += pages * PAGE_BYTES;
  }
  return usage;
}

/** The name of the program, in parentheses, may contain anything. */
function parse(line: string) {
  const pid = Number(line.slice(0, line.indexOf(' ')));
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  /** As numbered in proc(5), where the state is the third field. */
  const field = (n: number) => Number(fields[n - 3]);
  const ticks = field(14) + field(15) + field(16) + field(17);
  return { pid, parent: field(4), ticks, pages: field(24) };
}
