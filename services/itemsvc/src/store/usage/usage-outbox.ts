import { usageRecorded } from '@dtplatform/contracts';
import type { ClientSession } from '@dtplatform/mongo';
import { defineMessage } from '@dtplatform/queue';
import type { Delta, Outbox } from '@dtplatform/queue';
import type { ItemClass } from '../../domain/nameduseritems/item.js';
import type { Usage } from '../../domain/nameduseritems/usage.js';

/** Totals that lists read: of all items in a namespace, and of each class. */
export const ITEM_TOTAL_KEY = 'nameduseritem';
export const classTotalKey = (itemClass: ItemClass | (string & {})) => `${ITEM_TOTAL_KEY}:${itemClass}`;

/** What a write changes in one namespace. */
export interface NamespaceUsage {
  namespace: string;
  usage: Usage[];
  deltas?: Delta[];
}

/** The same in each of the namespaces. What is given as deltas belongs to none of them, and counts once. */
export const inEach = (namespaces: string[], usage: Usage[], deltas: Delta[] = []): NamespaceUsage[] =>
  namespaces.map((namespace, index) => ({ namespace, usage, deltas: index === 0 ? deltas : [] }));

const message = defineMessage(usageRecorded);
const MAX_CHANGES = 1000;

/** Tells the metrics of a write, as a part of its transaction. */
export function createUsageOutbox(outbox: Outbox) {
  return {
    async record(session: ClientSession, writes: NamespaceUsage[]): Promise<void> {
      const at = Date.now();
      const messages = [...byNamespace(writes)].flatMap(([namespace, { usage, deltas }]) =>
        chunked(usage).map((changes, index) => ({
          payload: { _namespace: namespace, _at: at, _changes: changes.map(changeOf) },
          deltas: index === 0 ? deltas : [],
        })),
      );
      await outbox.putMany(session, message, messages);
    },
  };
}

/** The deltas of items that come (or, with -1, go). */
export const itemDeltas = (namespace: string, itemClass: ItemClass, amount: 1 | -1): Delta[] =>
  [ITEM_TOTAL_KEY, classTotalKey(itemClass)].map((key) => ({ key, namespace, amount }));

function byNamespace(writes: NamespaceUsage[]): Map<string, { usage: Usage[]; deltas: Delta[] }> {
  const joined = new Map<string, { usage: Usage[]; deltas: Delta[] }>();
  for (const { namespace, usage, deltas = [] } of writes) {
    const known = joined.get(namespace) ?? { usage: [], deltas: [] };
    joined.set(namespace, known);
    known.usage.push(...usage);
    known.deltas.push(...deltas);
  }
  return joined;
}

function chunked(usage: Usage[]): Usage[][] {
  const chunks: Usage[][] = [];
  for (let start = 0; start < usage.length; start += MAX_CHANGES) chunks.push(usage.slice(start, start + MAX_CHANGES));
  return chunks;
}

export const changeOf = ({ metric, dimensions, aliases, amount }: Usage) => ({
  _metric: metric,
  _dimensions: dimensions,
  _aliases: aliases,
  _amount: amount,
});
