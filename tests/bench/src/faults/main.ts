/**
 * `npm run test:faults`: breaks backends and workers of a local stack under load. Checks that nothing acknowledged is
 * lost, callers get no failure but 503 with `Retry-After`, metrics equal a recount, and everything recovers within 30
 * seconds.
 */
import { setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pc from 'picocolors';
import { Interrupted, lineReport, onInterrupt, type Report, startRedisTopology, startStack } from '@dtplatform/stack';
import { type Outcome, runFault } from './run-fault.js';
import { type Fault, FAULTS } from './faults.js';
import { createPlatform, type Platform } from './platform.js';
import { tableOf } from './table.js';

const BOUND_MS = 10 * 60_000;
const SHOWN_VIOLATIONS = 10;
const names = FAULTS.map(({ name }) => name).join(' ');
const USAGE = `npm run test:faults [-- --redis sentinel|cluster] [FAULT...]

All faults, or only these: ${names}
With --redis, Redis has replicas and fails over.`;

async function main(): Promise<void> {
  const { values, positionals: args } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean' }, redis: { type: 'string' } },
  });
  if (values.help) return void console.log(USAGE);
  const { redis } = values;
  if (redis !== undefined && redis !== 'sentinel' && redis !== 'cluster') throw new Error(USAGE);
  const unknown = args.filter((arg) => !FAULTS.some(({ name }) => name === arg));
  if (unknown.length > 0) throw new Error(`There is no fault ${unknown.join(', ')}. There are: ${names}`);
  const wanted = FAULTS.filter(({ name }) => args.length === 0 || args.includes(name));

  const tooLong = AbortSignal.timeout(BOUND_MS);
  const signal = AbortSignal.any([onInterrupt(console.log), tooLong]);
  // Each request adds a listener that remains until the request is garbage-collected.
  setMaxListeners(0, signal);
  const stateDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-test-faults-'));
  const outcomes: Outcome[] = [];
  const { wrong, error } = await run(wanted, { stateDir, signal, redis, report: lineReport() }, outcomes).then(
    (wrong) => ({ wrong, error: undefined }),
    (error: unknown) => ({ wrong: [], error }),
  );
  const violations = [...outcomes.flatMap((one) => one.violations.map((each) => `${one.fault}: ${each}`)), ...wrong];
  if (outcomes.length > 0) console.log(`\n${tableOf(outcomes)}`);
  for (const violation of violations) console.log(pc.red(violation));
  const isFine = violations.length === 0 && (error === undefined || error instanceof Interrupted);
  if (isFine) await rm(stateDir, { recursive: true, force: true });
  else console.log(`The logs are in ${stateDir}/logs.`);
  if (tooLong.aborted) throw new Error(`It did not end within ${BOUND_MS / 60_000} minutes.`);
  if (error !== undefined) throw error;
  if (violations.length > 0) throw new Error(`${violations.length} violations`);
  console.log(pc.green('Nothing was lost, and everything came back.'));
}

interface Around {
  stateDir: string;
  report: Report;
  signal: AbortSignal;
  redis: 'sentinel' | 'cluster' | undefined;
}

/** Resolves with the final problems. */
async function run(faults: readonly Fault[], around: Around, outcomes: Outcome[]): Promise<string[]> {
  const { report, signal, stateDir } = around;
  // Only backends that this program starts may be broken.
  const { MONGO_URL: _mongo, REDIS_URL: _redis, S3_ENDPOINT: _s3, SMTP_URL: _smtp, ...env } = process.env;
  const quiet = { ...report, progress: () => undefined };
  const redis = around.redis && (await startRedisTopology(around.redis, path.join(stateDir, 'redis')));
  if (redis) env.REDIS_URL = redis.url;
  let platform: Platform | undefined;
  try {
    platform = createPlatform(await startStack({ stateDir, signal, env, report: quiet }), redis);
    const place = { ...around, platform };
    for (const fault of faults) {
      report.progress(fault.name, 'load without a fault');
      const outcome = await runFault(fault, place).catch((error: unknown) => {
        signal.throwIfAborted();
        throw new Error(`${fault.name} could not be checked: ${(error as Error).message}`, { cause: error });
      });
      outcomes.push(outcome);
      reportOutcome(outcome, report);
    }
    report.progress('all', 'checking everything again');
    const wrong = await Promise.all(
      outcomes.map(async ({ fault, checkAgain }) => (await checkAgain()).map((one) => `in the end, ${fault}: ${one}`)),
    );
    return wrong.flat();
  } finally {
    await platform?.stop();
    await redis?.stop();
  }
}

function reportOutcome({ fault, backSeconds, acknowledged, violations }: Outcome, report: Report): void {
  if (violations.length === 0)
    return report.ready(fault, `back after ${backSeconds.toFixed(1)} s, ${acknowledged} acknowledged, none lost`);
  report.warn(fault, `${violations.length} violations`);
  for (const violation of violations.slice(0, SHOWN_VIOLATIONS)) report.warn(fault, violation);
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(pc.red((error as Error).message));
    process.exit(error instanceof Interrupted ? 130 : 1);
  },
);
