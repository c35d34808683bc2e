import type { Example } from '@dtplatform/contracts';

/**
 * Calls that tests made, by operation: a service's `examples.json`. Ids, times and secrets are replaced. Messages of
 * websockets are in the same file, by their names.
 */
export type Examples = Record<string, Example>;
