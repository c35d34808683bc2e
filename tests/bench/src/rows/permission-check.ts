import { runProgram } from '../child.js';
import type { PermissionChecks, PermissionChecksResult } from '../load/permission-checks.js';
import type { Round, Side } from '../measure.js';
import type { Row } from '../row.js';

const SECONDS = 3;

export const permissionCheck: Row = {
  row: 'permission-check',
  unit: 'check',
  reach: 0.5,
  atLeast: 500_000,
  about: 'in process, of a caller with a million grants; beside the same with a thousand',
  prepare: () => Promise.resolve({ ours: checksWith(1_000_000), reference: checksWith(1_000) }),
};

/** The CPU time includes creating the grants and the names. */
function checksWith(grants: number): Side {
  const check = async (seconds: number): Promise<Round> => {
    const argument: PermissionChecks = { grants, seconds };
    const result = await runProgram<PermissionChecksResult>('load/permission-checks', argument);
    return { perSecond: result.checksPerSecond, done: result.checks, usage: result.usage };
  };
  // Each run is a new process, which warms up by itself.
  return { run: () => check(SECONDS), warmUp: () => Promise.resolve() };
}
