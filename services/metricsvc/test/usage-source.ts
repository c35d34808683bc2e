import { LAST_OWNER } from '@dtplatform/contracts';
import type { UsageBatch, UsageChange, UsageRecount } from '@dtplatform/contracts';
import type { UsageSource } from '../src/reconciliations/compare.js';
import type { TestApp } from './start-app.js';

/** A stand-in for a service that reports usage. It stores a list of changes. */
export function usageSource(prefix: string, app: () => TestApp) {
  const held = new Map<string, UsageChange[]>();
  const hooks = { unsettled: [] as string[], isComplete: true, during: async () => undefined as unknown };

  const source: UsageSource = {
    prefix,
    async recount({ namespace, after, until }): Promise<UsageRecount> {
      const mine = (held.get(namespace) ?? []).filter(({ _metric }) => _metric.startsWith(prefix));
      const _changes = mine.filter(({ _dimensions }) => {
        const [owner] = Object.values(_dimensions);
        if (after === undefined || until === undefined) return owner === undefined;
        return owner !== undefined && owner > after && owner <= until;
      });
      const outbox = app().mongo.db.collection('outbox').find({ 'payload.messages._namespace': namespace });
      const _waiting = (await outbox.toArray()).map(({ _id, payload }) => ({
        _id: _id as unknown as string,
        _changes: (payload as UsageBatch).messages.flatMap(({ _changes }) => _changes),
      }));
      await hooks.during();
      const owners = mine.flatMap(({ _dimensions }) => Object.values(_dimensions)[0] ?? []);
      const later = [...new Set(owners)].filter((owner) => owner > (until ?? '')).sort();
      const next = until === LAST_OWNER ? {} : { _until: later.length > 2 ? later[1]! : LAST_OWNER };
      return { _changes, _waiting, _unsettled: hooks.unsettled, _isComplete: hooks.isComplete, ...next };
    },
  };

  return {
    source,
    hooks,
    /** Changes what the service stores, without recording it. */
    hold: (namespace: string, changes: UsageChange[]) =>
      void held.set(namespace, [...(held.get(namespace) ?? []), ...changes]),
  };
}
