import { allows, compileGrants } from '@dtplatform/permissions';
import { ownUsage } from '../usage.js';
import { argument, finish } from './program.js';

/** Permission checks of one caller in one namespace, in this process. */
export interface PermissionChecks {
  /** Number of the caller's grants, each on another file. */
  grants: number;
  seconds: number;
}

const ROUND = 10_000;
/** Prime, so that the steps visit all files in an order that no cache anticipates. */
const STEP = 999_983;

const { grants: count, seconds } = argument<PermissionChecks>();
const irnOf = (n: number) => `filesvc:file:${n.toString(16).padStart(24, '0')}`;
const grants = compileGrants(
  Array.from({ length: count }, (_, n) => ({ _irn: irnOf(n), _actions: ['READ' as const] })),
);

let checks = 0;
let allowed = 0;
let elapsedMs = 0;
while (elapsedMs < seconds * 1000) {
  const irns = nextIrns();
  const begun = performance.now();
  for (const irn of irns) if (allows(grants, 'READ', irn)) allowed += 1;
  elapsedMs += performance.now() - begun;
  checks += irns.length;
}
const share = allowed / checks;
if (share < 0.4 || share > 0.6) throw new Error(`${share} of the checks were allowed, not half of them`);
finish({ perSecond: (checks / elapsedMs) * 1000, done: checks, usage: ownUsage() });

/** Names of files as new strings, as requests bring them. Every other file has no grant. */
function nextIrns(): string[] {
  return Array.from({ length: ROUND }, (_, n) => irnOf(((checks + n) * STEP) % (2 * count)));
}
