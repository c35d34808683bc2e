import { oneOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { deadLetterModel, messageModel } from './messages.model.js';

const MIB = 1024 ** 2;

/** Limits on waiting messages, per configuration and per namespace. */
const LIMITS = {
  configId: { count: 10_000, bytes: 64 * MIB },
  namespaces: { count: 50_000, bytes: 256 * MIB },
};
/**
 * Counting is slower than accepting a message, so a process reuses its count, plus what it has accepted, for this long.
 */
const COUNTED_FOR_MS = 1_000;

interface Waiting {
  count: number;
  bytes: number;
}
type Counted = { at: number; waiting: Promise<Waiting> };

export function createWaitingLimit(mongo: Mongo) {
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
    /** Whether a configuration, or one of its namespaces, has reached its limit. */
    async isFull(config: { _id: string; _namespaces: string[] }): Promise<boolean> {
      for (const { field, value } of placesOf(config)) {
        const { count, bytes } = await waitingOf(field, value);
        if (count >= LIMITS[field].count || bytes >= LIMITS[field].bytes) return true;
      }
      return false;
    },

    /** Adds accepted messages to the cached counts. */
    async add(config: { _id: string; _namespaces: string[] }, contents: string[]): Promise<void> {
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

/** Dead letters per configuration. */
const MAX_LETTERS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Summing is slower than storing a letter. The limit may be exceeded for this long. */
const EVERY_MS = 1_000;

/** Removes the oldest dead letters of a configuration beyond its limits, at most once a second per process. */
export function createDropOldest(mongo: Mongo): (configId: string) => Promise<void> {
  const deadLetters = mongo.model(deadLetterModel);
  const droppedAt = new Map<string, number>();

  return async (configId) => {
    const now = performance.now();
    for (const [other, at] of droppedAt) if (now - at >= EVERY_MS) droppedAt.delete(other);
    if (droppedAt.has(configId)) return;
    droppedAt.set(configId, now);
    const latestFirst = await deadLetters.aggregate<{ _id: string; bytes: number }>([
      { $match: { configId } },
      { $sort: { _id: -1 } },
      // Covered by the index.
      { $project: { bytes: 1 } },
    ]);
    let total = 0;
    const surplus = latestFirst.filter(({ bytes }, index) => (total += bytes) > MAX_BYTES || index >= MAX_LETTERS);
    if (surplus.length === 0) return;
    await deadLetters.deleteMany({ _id: oneOf(surplus.map(({ _id }) => _id)) });
  };
}

interface Sized {
  _id: string;
  bytes: number;
}

/** The ids of the longest prefix within `maxBytes`, but at least one. */
export function firstWithin(all: Sized[], maxBytes: number): string[] {
  let total = 0;
  const end = all.findIndex(({ bytes }) => (total += bytes) > maxBytes);
  return all.slice(0, end === -1 ? all.length : Math.max(1, end)).map(({ _id }) => _id);
}
