import type { UsageRecorded } from '@dtplatform/contracts';

const METRIC = 'dtplatform.passportsvc.WorkspaceCount';

/** What workspaces with these namespaces add to each of them, or take away (docs/contract.md, "Metrics of workspaces"). */
export const usageOf = (namespaces: string[], amount: 1 | -1, atMs: number): UsageRecorded[] =>
  namespaces.map((_namespace) => ({
    _namespace,
    _at: atMs,
    _changes: [{ _metric: METRIC, _dimensions: {}, _amount: amount }],
  }));
