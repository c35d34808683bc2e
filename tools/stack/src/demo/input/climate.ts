import { FLOORS } from './rooms.js';
import { noise } from './noise.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const FINE_STEP_MS = 15 * MINUTE_MS;
export const HISTORY_MS = 30 * DAY_MS;
/** How long before the seeding the silent sensor sent its last reading. */
const SILENT_FOR_MS = 26 * HOUR_MS;

export interface Sensor {
  sourceId: string;
  room: string;
}

/** Four rooms of each floor have one. */
export const SENSORS: readonly Sensor[] = FLOORS.flatMap((floor) =>
  [1, 3, 6, 8].map((at) => ({ sourceId: `climate-${floor}0${at}`, room: `${floor}.0${at}` })),
);
export const SILENT_SENSOR = 'climate-303';

/** A day with people in the building on workdays, in UTC, and noise that depends on sensor and time alone. */
export function climateAt({ sourceId }: Sensor, atMs: number) {
  const hour = (atMs % DAY_MS) / HOUR_MS;
  const isWorkday = new Date(atMs).getUTCDay() % 6 !== 0;
  const presence = isWorkday ? Math.exp(-(((hour - 13) / 3.5) ** 2)) * (0.6 + 0.4 * noise(sourceId)) : 0;
  const jitter = (of: string) => noise(`${of} ${sourceId} ${atMs}`) - 0.5;
  const outside = Math.sin(((hour - 9) / 24) * 2 * Math.PI);
  const temperature = 20 + noise(`base ${sourceId}`) + outside + 2.2 * presence + 0.4 * jitter('temperature');
  return {
    temperature: Math.round(temperature * 100) / 100,
    co2: Math.round(430 + 620 * presence + 50 * jitter('co2')),
  };
}

/** Readings of all sensors: each quarter of an hour in the last two days, each hour before. */
export function readingsBetween(fromMs: number, nowMs: number, seededAtMs: number) {
  const times: number[] = [];
  for (let at = Math.ceil(fromMs / FINE_STEP_MS) * FINE_STEP_MS; at < nowMs; at += FINE_STEP_MS)
    if (nowMs - at < 2 * DAY_MS || at % HOUR_MS === 0) times.push(at);
  const hasSent = ({ sourceId }: Sensor, at: number) => sourceId !== SILENT_SENSOR || at < seededAtMs - SILENT_FOR_MS;
  return times.flatMap((at) =>
    SENSORS.filter((sensor) => hasSent(sensor, at)).map((sensor) => ({
      _ts: at,
      _tsMetadata: { _sourceId: sensor.sourceId },
      ...climateAt(sensor, at),
    })),
  );
}
