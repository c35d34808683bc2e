import calculateSlot from 'cluster-key-slot';
import { Cluster } from 'ioredis';
import type { RedisClient } from './client.js';

/** Reads keys, in a cluster with one command per slot. @returns their values in the same order, null for missing ones */
export async function readKeys(client: RedisClient, keys: string[]): Promise<(string | null)[]> {
  if (!(client instanceof Cluster)) return client.mget(keys);
  const values = new Map<string, string | null>();
  await Promise.all(
    bySlot(keys).map(async (together) => {
      const found = await client.mget(together);
      together.forEach((key, place) => values.set(key, found[place]!));
    }),
  );
  return keys.map((key) => values.get(key)!);
}

/** Deletes keys, in a cluster with one command per slot. */
export async function deleteKeys(client: RedisClient, keys: string[]): Promise<void> {
  const groups = client instanceof Cluster ? bySlot(keys) : [keys];
  await Promise.all(groups.filter((group) => group.length > 0).map((group) => client.del(group)));
}

function bySlot(keys: string[]): string[][] {
  const slots = new Map<number, string[]>();
  for (const key of keys) {
    const slot = calculateSlot(key);
    slots.set(slot, [...(slots.get(slot) ?? []), key]);
  }
  return [...slots.values()];
}
