import type { PermissionChecks } from '../load/permission-checks.js';
import type { Side } from '../measure.js';
import { programSide } from '../program-side.js';
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

/** The CPU time includes creating the grants and the names. Each run is a new process, which warms up by itself. */
const checksWith = (grants: number): Side => ({
  ...programSide<PermissionChecks>('load/permission-checks', { grants }, { seconds: SECONDS }),
  warmUp: () => Promise.resolve(),
});
