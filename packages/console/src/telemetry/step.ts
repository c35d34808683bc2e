const SEC_MS = 1000;
const STEPS: Record<string, number> = {
  ...{ '1s': 1, '2s': 2, '5s': 5, '10s': 10, '30s': 30, '1m': 60, '2m': 120, '5m': 300, '10m': 600, '15m': 900 },
  ...{ '30m': 1800, '1h': 3600, '2h': 7200, '3h': 10_800, '6h': 21_600, '12h': 43_200, '1d': 86_400, '2d': 172_800 },
  ...{ '7d': 604_800, '30d': 2_592_000, '366d': 31_622_400 },
};
const POINTS = 500;

/** The step of down-sampling that leaves at most about 500 points of a period. */
export function stepFor(spanMs: number): { every: string; everyMs: number } {
  const steps = Object.entries(STEPS);
  const [every, seconds] = steps.find(([, sec]) => spanMs / (sec * SEC_MS) <= POINTS) ?? steps.at(-1)!;
  return { every, everyMs: seconds * SEC_MS };
}
