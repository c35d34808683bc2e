import { createHistogram, performance } from 'node:perf_hooks';
import type { RecordableHistogram } from 'node:perf_hooks';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** Each sample wakes the process, so an idle one takes few. */
const BUSY_EVERY_MS = 100;
const IDLE_EVERY_MS = 1_000;
/** A process that is busy for less of its time is idle. */
const BUSY_SHARE = 0.05;

const PREFIX = 'nodejs_eventloop_lag_';

/** Replaces prom-client's figures, whose timer wakes an idle process as often as a busy one. */
export function measureEventLoopLag(registry: Registry): void {
  for (const { name } of registry.getMetricsAsArray()) if (name.startsWith(PREFIX)) registry.removeSingleMetric(name);
  const lag = createHistogram();
  takeSamples(lag);
  const measure = (figure: string, read: () => number) =>
    new Gauge({
      name: `${PREFIX}${figure}_seconds`,
      help: 'How late timers ran since the last scrape.',
      registers: [registry],
      collect() {
        this.set(read() / 1e9);
      },
    });
  measure('p50', () => lag.percentile(50));
  measure('p90', () => lag.percentile(90));
  measure('p99', () => lag.percentile(99));
  measure('max', () => {
    const { max } = lag;
    lag.reset();
    return max;
  });
}

function takeSamples(lag: RecordableHistogram): void {
  let before = performance.eventLoopUtilization();
  const takeIn = (ms: number): void => {
    const dueAt = performance.now() + ms;
    setTimeout(() => {
      lag.record(Math.max(1, Math.round((performance.now() - dueAt) * 1e6)));
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      takeIn(utilization < BUSY_SHARE ? IDLE_EVERY_MS : BUSY_EVERY_MS);
    }, ms).unref();
  };
  takeIn(BUSY_EVERY_MS);
}
