import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { closedLoop, costOf, describeCost, idleBetween, type Cost, type Idle } from '@dtplatform/bench/counts';
import { createLoadUser } from '@dtplatform/bench/callers';
import { readDataSizes } from '../sizing/data-sizes.js';
import { createOperations, type Operation } from '../sizing/operations.js';
import { takeSnapshot } from '../sizing/snapshot.js';
import { sizingTables } from '../sizing/tables.js';
import type { TestRun } from '../test-run.js';
import { upgradeWith } from '../deploy.js';
import { oneWorkerEach } from '../values.js';

const WARM_UP_SECONDS = 4;
const SECONDS = 10;
const IDLE_SECONDS = 20;

/**
 * Measures the cost of one call of each main operation, with one replica of each service and worker, and writes it and
 * the tables of docs/sizing.md to the state folder. CPU figures carry over to similar machines; throughput does not,
 * because callers, services and backends share the machine.
 */
export async function sizing(run: TestRun): Promise<void> {
  const { dev, signal, report, stateDir } = run;
  await upgradeWith(run, { values: oneWorkerEach(), replicas: 1 });
  const operations = await createOperations(dev, await createLoadUser(dev, signal));
  const idle = await measureIdle(run);
  const costs: Cost[] = [];
  for (const operation of operations) {
    const cost = await measure(run, operation, idle);
    report.ready(operation.name, describeCost(cost));
    costs.push(cost);
  }
  const measured = { idle, costs, sizes: await readDataSizes(run) };
  await writeFile(path.join(stateDir, 'sizing.json'), JSON.stringify(measured, null, 2));
  const tables = path.join(stateDir, 'sizing.md');
  await writeFile(tables, sizingTables(measured));
  report.ready('sizing', `${costs.length} operations, see ${tables}`);
  await upgradeWith(run);
}

async function measureIdle(run: TestRun): Promise<Idle> {
  const before = await takeSnapshot(run);
  await sleep(IDLE_SECONDS * 1000, undefined, { signal: run.signal });
  return idleBetween(before, await takeSnapshot(run));
}

async function measure(run: TestRun, { name, call, callers }: Operation, idle: Idle): Promise<Cost> {
  const { signal } = run;
  await closedLoop(call, { callers, signal, seconds: WARM_UP_SECONDS });
  const before = await takeSnapshot(run);
  const speed = await closedLoop(call, { callers, signal, seconds: SECONDS });
  return costOf(name, speed, before, await takeSnapshot(run), idle);
}
