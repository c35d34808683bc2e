import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Report } from '../report.js';
import type { DevJson } from '../state/dev-settings.js';
import { readJson, writeSecretJson } from '../state/json-file.js';
import { clientOfApp, clientOfUser } from './clients.js';
import { roomsOf } from './input/rooms.js';
import { sendReadings, storeMissedReadings } from './live-readings.js';
import { createFiles } from './seed/files.js';
import { createItems } from './seed/items.js';
import { createJobs } from './seed/jobs.js';
import { writePastMetrics } from './seed/past-metrics.js';
import { createPlanners, createUser, createWorkspace, type DemoUser } from './seed/people.js';
import { createTelemetry } from './seed/telemetry.js';

interface DemoOptions {
  dev: DevJson;
  mongoUrl: string;
  /** Where `demo.json` keeps what was seeded. */
  stateDir: string;
  report: Report;
  /** Ends the seeding and the readings. */
  signal: AbortSignal;
}

/** `demo.json` */
interface Demo extends DemoUser {
  colleague: DemoUser;
  namespace: string;
  seededAt: number;
  sensorsId: string;
  configId: string;
}

/**
 * Seeds a building with users, files, items, telemetry, jobs and metrics, unless an earlier start has; then sends
 * readings until the signal aborts. Never rejects: reports a failure and returns undefined.
 */
export async function startDemo(options: DemoOptions): Promise<Demo | undefined> {
  const { dev, report, signal } = options;
  const warn = (error: unknown) => {
    if (!signal.aborted) report.warn('demo', (error as Error).message);
  };
  try {
    const demo = await readOrSeed(options);
    const client = clientOfUser(dev, demo, demo.namespace, signal);
    await storeMissedReadings(client, demo.sensorsId, demo.seededAt);
    void sendReadings(client, demo.configId, warn, signal);
    return demo;
  } catch (error) {
    warn(error);
    return undefined;
  }
}

async function readOrSeed(options: DemoOptions): Promise<Demo> {
  const file = path.join(options.stateDir, 'demo.json');
  const kept = await readJson<Demo>(file);
  if (kept !== undefined) return kept;
  const begun = performance.now();
  options.report.progress('demo', 'seeding a building');
  const demo = await seed(options);
  await writeSecretJson(file, demo);
  options.report.ready('demo', `seeded in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  return demo;
}

async function seed({ dev, mongoUrl, signal }: DemoOptions): Promise<Demo> {
  const seededAt = Date.now();
  const app = clientOfApp(dev, signal);
  const [user, colleague] = [newUser('demo'), newUser('colleague')];
  await createUser(app, user, 'Dana', 'Demo');
  const colleagueId = await createUser(app, colleague, 'Cleo', 'Colleague');

  const client = clientOfUser(dev, user, undefined, signal);
  const namespace = await createWorkspace(client);
  const demo = client.in(namespace);
  await createPlanners(demo, namespace, colleagueId);
  const files = await createFiles(demo, signal);
  const { sensors, equipment } = await createItems(demo, files);
  const [configId] = await Promise.all([
    createTelemetry(demo, sensors, signal),
    storeMissedReadings(demo, sensors._id, seededAt),
    createJobs(demo, { files, equipment, rooms: roomsOf(3) }, signal),
  ]);
  await writePastMetrics(demo, mongoUrl, seededAt, signal);
  return { ...user, colleague, namespace, seededAt, sensorsId: sensors._id, configId };
}

const newUser = (name: string): DemoUser => ({
  email: `${name}@dtplatform.example`,
  password: randomBytes(12).toString('base64url'),
});
