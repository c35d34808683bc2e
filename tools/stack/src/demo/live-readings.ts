import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@dtplatform/sdk';
import { climateAt, HISTORY_MS, readingsBetween, SENSORS, SILENT_SENSOR } from './input/climate.js';
import { DEVICE_TYPE } from './seed/telemetry.js';

const EVERY_MS = 10_000;
const SENSORS_AT_ONCE = 3;
const READINGS_OF_A_CALL = 5_000;

/** Stores what the sensors have sent since the last reading: a month at first, later the time of a stop. */
export async function storeMissedReadings(demo: Client, id: string, seededAt: number): Promise<void> {
  const query = { sort: JSON.stringify({ _ts: -1 }), project: JSON.stringify({ _ts: 1 }), _pageSize: 1 };
  const { _list } = await demo.call('itemsvc.readings.list', { path: { id }, query });
  const now = Date.now();
  const last = Date.parse(_list[0]?._ts ?? '') || 0;
  const readings = readingsBetween(Math.max(last + 1, now - HISTORY_MS), now, seededAt);
  for (let from = 0; from < readings.length; from += READINGS_OF_A_CALL) {
    const body = readings.slice(from, from + READINGS_OF_A_CALL);
    await demo.call('itemsvc.readings.create', { path: { id }, body });
  }
}

/** Sends messages of a few sensors every ten seconds, until the signal aborts. `warn` gets the first of errors in a row. */
export async function sendReadings(
  demo: Client,
  configId: string,
  warn: (error: unknown) => void,
  signal: AbortSignal,
) {
  const sending = SENSORS.filter(({ sourceId }) => sourceId !== SILENT_SENSOR);
  let isFailing = false;
  for (let turn = 0; !signal.aborted; turn += SENSORS_AT_ONCE) {
    const at = Date.now();
    const sensors = Array.from({ length: SENSORS_AT_ONCE }, (_, step) => sending[(turn + step) % sending.length]!);
    const body = sensors.map((sensor) => {
      const { temperature, co2 } = climateAt(sensor, at);
      return { deviceType: DEVICE_TYPE, device: sensor.sourceId, at, celsius: temperature, ppm: co2 };
    });
    try {
      await demo.call('itemsvc.messages.create', { path: { id: configId }, body: body });
      isFailing = false;
    } catch (error) {
      if (!isFailing) warn(error);
      isFailing = true;
    }
    await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
