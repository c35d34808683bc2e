import { setTimeout as sleep } from 'node:timers/promises';
import { runTour, type DevJson, type Report } from '@dtplatform/stack';
import { createLoadUser, type LoadUser } from '@dtplatform/bench/callers';
import { checkPaths, untilReachable } from './check-paths.js';
import { downloadAndCompare, uploadWithCuts } from './interrupted-upload.js';
import { openStream, type Stream } from './stream.js';

const MB = 1_000_000;
const STREAMED_BYTES = 8 * MB;

export interface Visit {
  dev: DevJson;
  uploadMb: number;
  /** How long the websocket stays silent. */
  silentSeconds: number;
  signal: AbortSignal;
  report: Report;
}

/** Uses the platform at its base URL as clients do: all paths, the tour, a websocket and a resumable upload. */
export async function visit({ dev, uploadMb, silentSeconds, signal, report }: Visit): Promise<void> {
  await untilReachable(dev.baseUrl, signal);
  report.ready('paths', `${await checkPaths(dev.baseUrl)} paths lead to their service, or to 404`);
  await runTour({ dev, signal, write: console.log });
  const user = await createLoadUser(dev, signal);
  const stream = await openStream(dev.baseUrl, user, STREAMED_BYTES);
  const silence = sleep(silentSeconds * 1000);
  await readStream(stream, report);
  await transfer(user, uploadMb * MB, report);
  await silence;
  await readStream(stream, report);
  report.ready('websocket', `open after ${silentSeconds} s of silence; ${stream.pings()} pings arrived`);
  await stream.close();
}

async function readStream(stream: Stream, report: Report): Promise<void> {
  const begun = performance.now();
  report.ready('websocket', `read ${rate(await stream.read(), (performance.now() - begun) / 1000)}`);
}

async function transfer(user: LoadUser, bytes: number, report: Report): Promise<void> {
  const file = await uploadWithCuts(user, bytes);
  const offsets = file.resumedAt.map((offset) => (offset / MB).toFixed(1)).join(' and ');
  report.ready('upload', `${rate(bytes, file.seconds)}; cut twice, resumed at ${offsets} MB`);
  report.ready('download', `${rate(bytes, await downloadAndCompare(user, file))}; the hash is the same`);
}

const rate = (bytes: number, seconds: number): string =>
  `${bytes / MB} MB in ${seconds.toFixed(1)} s (${(bytes / MB / seconds).toFixed(1)} MB/s)`;
