import type { Mongo } from '@dtplatform/mongo';
import { messageModel } from './message.model.js';

const MIB = 1024 ** 2;

/** What may wait before further messages are refused. */
const LIMITS = {
  configId: { count: 10_000, bytes: 64 * MIB },
  namespaces: { count: 50_000, bytes: 256 * MIB },
};
/** Counting takes longer than accepting a message: for so long, a process goes by what it has counted and accepted since. */
const COUNTED_FOR_MS = 1_000;

interface Waiting {
  count: number;
  bytes: number;
}
type Counted = { at: number; waiting: Promise<Waiting> };

/** Bounds the messages that wait. */
export interface WaitingLimit {
  /** Whether so much waits for a configuration, or for one of its namespaces, that no more is taken. */
  isFull(config: { _id: string; _namespaces: string[] }): Promise<boolean>;
  /** Reports contents that are accepted. */
  add(config: { _id: string; _namespaces: string[] }, contents: string[]): Promise<void>;
}

export function createWaitingLimit(mongo: Mongo): WaitingLimit {
  const messages = mongo.model(messageModel);
  const counted = new Map<string, Counted>();

  async function count(field: keyof typeof LIMITS, value: string): Promise<Waiting> {
    const [found] = await messages.aggregate<Waiting>([
      { $match: { [field]: value } },
      { $limit: LIMITS[field].count },
      { $group: { _id: null, count: { $sum: 1 }, bytes: { $sum: '$bytes' } } },
    ]);
    return { count: found?.count ?? 0, bytes: found?.bytes ?? 0 };
  }

  function waitingOf(field: keyof typeof LIMITS, value: string): Promise<Waiting> {
    const now = performance.now();
    const key = `${field} ${value}`;
    const known = counted.get(key);
    if (known && now - known.at < COUNTED_FOR_MS) return known.waiting;
    for (const [other, { at }] of counted) if (now - at >= COUNTED_FOR_MS) counted.delete(other);
    const waiting = count(field, value);
    counted.set(key, { at: now, waiting });
    waiting.catch(() => counted.delete(key));
    return waiting;
  }

  const placesOf = ({ _id, _namespaces }: { _id: string; _namespaces: string[] }) => [
    { field: 'configId' as const, value: _id },
    ..._namespaces.map((value) => ({ field: 'namespaces' as const, value })),
  ];

  return {
    async isFull(config) {
      for (const { field, value } of placesOf(config)) {
        const { count, bytes } = await waitingOf(field, value);
        if (count >= LIMITS[field].count || bytes >= LIMITS[field].bytes) return true;
      }
      return false;
    },

    async add(config, contents) {
      const bytes = contents.reduce((sum, content) => sum + Buffer.byteLength(content), 0);
      for (const { field, value } of placesOf(config)) {
        const waiting = await counted.get(`${field} ${value}`)?.waiting;
        if (!waiting) continue;
        waiting.count += contents.length;
        waiting.bytes += bytes;
      }
    },
  };
}
