import type { TestApp } from './start-app.js';

export const METRICS = '/metricsvc/api/v1/metrics';
export const FILE_COUNT = 'dtplatform.filesvc.FileCount';
export const SIZE = 'dtplatform.filesvc.FileVersionSize';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Midnight in UTC, three days ago. */
export const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS - 3 * DAY_MS;
export const iso = (atMs: number) => new Date(atMs).toISOString();
export const files = (amount: number) => ({ _metric: FILE_COUNT, _dimensions: {}, _amount: amount });
export const size = (file_id: string, version: string, amount: number) => ({
  _metric: SIZE,
  _dimensions: { file_id, version },
  _amount: amount,
});
export const values = (points: { value: number }[]) => points.map(({ value }) => value);

/** Reads metrics. @param namespace of the current test */
export function metricClient({ app, platform }: { app: TestApp; platform: string }, namespace: () => string) {
  const get = (rest: string, authorization = platform) => app.api.get(`${METRICS}/${rest}`).set({ authorization });
  return {
    get,
    valueOf: async (metric: string, more = '') =>
      (await get(`${metric}?namespace=${namespace()}${more}`).expect(200)).body.metrics[0]?.value as number | undefined,
    seriesOf: async (metric: string, fromMs: number, toMs: number, more = '', dimensions = '') => {
      const period = `period.from=${iso(fromMs)}&period.to=${iso(toMs)}${more}`;
      const path = `${metric}/by-dimension;namespace=${namespace()}${dimensions}?${period}`;
      return (await get(path).expect(200)).body.metrics as { timestamp: string; value: number }[];
    },
  };
}
